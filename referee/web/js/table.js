// The table on which a person plays, and which others can watch.

/** The table: for the person who plays, and for those who watch. */
class TablePage {
  constructor(id, content) {
    this.id = id;
    this.game = null;
    this.key = sessionStorage.getItem(`table:${id}`);
    this.hadFocus = false;
    this.step = null;
    this.cursor = 0;
    this.view = new LiveBoard((seat) => this.clockText(seat));
    this.status = make("p", { class: "table-status", role: "status" }, "Waiting for the game to begin");
    this.actions = make("div", { class: "table-actions" });
    this.faults = make("div", { class: "faults" });
    this.view.element.classList.add("table");
    this.view.element.hidden = true;
    content.append(this.status, this.view.element);
    this.view.below.append(this.actions, this.faults);
    listen(`/api/tables/${encodeURIComponent(id)}/events`, { snapshot: (value) => this.show(value), table: (value) => this.show(value) });
  }

  get isMine() {
    return Boolean(this.key && this.game?.turn);
  }

  show(game) {
    const isNewTurn = game.turn?.ply !== this.game?.turn?.ply;
    if (game.turn) game.turn.received = performance.now() - game.turn.age_ms;
    this.game = game;
    if (isNewTurn) this.step = null;
    if (!game.variant) {
      if (game.over) this.announce(this.statusText());
      return;
    }
    this.view.element.hidden = false;
    byId("title").replaceChildren(foreign(game.bots.join(" against ")));
    this.render();
    this.announce(this.statusText());
    if (this.hadFocus && this.isMine) this.focusCursor();
  }

  /** Show a message to the person; a screen reader reads it, but not the same text twice. */
  announce(text) {
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  statusText() {
    const { over, turn, bots } = this.game;
    if (over?.failed) return `The game could not be played: ${over.failed}`;
    if (over) return over.sentence;
    if (!turn) return `${bots[this.game.moves.length % 2]} is thinking`;
    if (!this.key) return `${bots[turn.seat - 1]} is to move`;
    return this.prompt();
  }

  prompt() {
    if (this.step !== null) return "Choose the cell for the blockade; choose your piece's cell again to step elsewhere";
    const hints = { barricade: "Your move: choose a cell to step to", runner: "Your move: step to a cell with a dot, or block a cell with a square" };
    return hints[this.game.variant] ?? "Your move: choose a cell";
  }

  /** Cells that a click can choose now, by the number of the cell: the move, or a first step. */
  choices() {
    const grid = this.grid();
    const found = { steps: new Map(), blocks: new Map() };
    for (const move of this.isMine ? this.game.turn.legal : []) {
      const { to, block } = readMove(move, grid);
      if (this.step !== null) {
        if (to === this.step && block !== null) found.blocks.set(block, move);
      } else if (to !== null) found.steps.set(to, block === null ? move : null);
      else found.blocks.set(block, move);
    }
    return found;
  }

  grid() {
    const { rows, cols, origin } = this.game;
    return { rows, cols, origin };
  }

  render() {
    const { game } = this;
    const { steps, blocks } = this.choices();
    const drawing = make("div", { class: "table-board" }, this.drawn(steps, blocks), this.isMine ? this.cellButtons(steps, blocks) : null);
    this.hadFocus ||= this.view.board.contains(document.activeElement);
    const { rows, cols, origin, variant, marks } = game;
    const clocks = game.people.map((isPerson) => clockNamed(isPerson ? game.selection?.clock ?? "" : "bot"));
    const finished = game.over?.times ? game.over : { score: game.over?.score ?? [0, 0], reason: game.over?.reason ?? "" };
    this.view.show({ ...unfinished({ ...game, clocks, board: { variant, rows, cols, origin, marks: marks ?? ["1", "2"] } }), ...finished }, drawing);
    this.actions.replaceChildren(...this.buttons());
    this.faults.replaceChildren(...(game.over?.fault_texts ?? []).map((text) => make("pre", { class: "stderr", tabindex: 0, role: "region", "aria-label": "Fault" }, foreign(text))));
  }

  drawn(steps, blocks) {
    const { game, step } = this;
    const grid = this.grid();
    const ply = game.moves.length;
    const cells = [...game.text.replaceAll("/", "")];
    const last = ply ? { from: null, ...readMove(game.moves[ply - 1], grid) } : null;
    if (step !== null) {
      // The step is shown before its blockade is chosen.
      const here = cells.indexOf(game.marks[ply % 2]);
      [cells[step], cells[here]] = [cells[here], "."];
    }
    const legal = { steps: new Set(steps.keys()), blocks: new Set(blocks.keys()) };
    return drawBoard({ variant: game.variant, grid, cells, marks: game.marks ?? ["1", "2"], mover: 1 + (ply % 2), legal, last, label: `Board after ply ${ply}, rows from the top: ${game.text.replaceAll("/", ", ")}` });
  }

  /** A button over every cell: for clicks, taps and the keyboard (arrow keys move between them). */
  cellButtons(steps, blocks) {
    const { rows, cols } = this.game;
    const grid = this.grid();
    const [width, height] = [EDGE + cols * CELL + 4, EDGE + rows * CELL + 4];
    const layer = make("div", { class: "cell-layer", role: "group", "aria-label": "Cells of the board" });
    for (let cell = 0; cell < rows * cols; cell += 1) {
      const { x, y } = corner(cell, grid);
      const kind = steps.has(cell) ? "allowed" : blocks.has(cell) ? "allowed for a block" : "not allowed";
      const button = make("button", { type: "button", class: `cell-button${kind === "not allowed" ? "" : " allowed"}`, tabindex: cell === this.cursor ? 0 : -1, "aria-label": `${nameOf(cell, grid)}, ${kind}`, "data-cell": nameOf(cell, grid), onclick: () => this.choose(cell), onkeydown: (event) => this.moveCursor(event, cell, layer) });
      button.style.left = `${(100 * x) / width}%`;
      button.style.top = `${(100 * y) / height}%`;
      button.style.width = `${(100 * CELL) / width}%`;
      button.style.height = `${(100 * CELL) / height}%`;
      layer.append(button);
    }
    return layer;
  }

  moveCursor(event, cell, layer) {
    const { rows, cols } = this.game;
    const [row, col] = [Math.floor(cell / cols), cell % cols];
    const targets = { ArrowUp: [row - 1, col], ArrowDown: [row + 1, col], ArrowLeft: [row, col - 1], ArrowRight: [row, col + 1] };
    const target = targets[event.key];
    if (!target) return;
    event.preventDefault();
    const [nextRow, nextCol] = target;
    if (nextRow < 0 || nextCol < 0 || nextRow >= rows || nextCol >= cols) return;
    this.cursor = nextRow * cols + nextCol;
    layer.children[cell].tabIndex = -1;
    layer.children[this.cursor].tabIndex = 0;
    layer.children[this.cursor].focus();
  }

  choose(cell) {
    this.cursor = cell;
    const { steps, blocks } = this.choices();
    const move = steps.get(cell) ?? blocks.get(cell);
    if (move) this.send(move);
    else if (steps.has(cell)) this.chooseStep(cell);
    else if (this.step === cell) this.chooseStep(null);
    else this.send(this.triedMove(cell));
  }

  chooseStep(cell) {
    this.step = cell;
    this.render();
    this.announce(this.prompt());
    this.focusCursor();
  }

  /** A move that is not allowed: the server explains the rule. */
  triedMove(cell) {
    const name = nameOf(cell, this.grid());
    return this.step === null ? name : `${nameOf(this.step, this.grid())}x${name}`;
  }

  async send(move) {
    try {
      await postJson(`/api/tables/${encodeURIComponent(this.id)}/move`, { key: this.key, ply: this.game.turn?.ply ?? 0, move });
    } catch (error) {
      this.announce(sentence(error.message));
    }
  }

  focusCursor() {
    this.hadFocus = false;
    this.view.board.querySelector('.cell-button[tabindex="0"]')?.focus();
  }

  /** Time left for the seat on turn, if it has a clock. */
  clockText(seat) {
    const { turn, has_clock: hasClock, people } = this.game ?? {};
    if (this.game?.over?.times) return null;
    if (turn?.seat !== seat) return turn && hasClock && people[seat - 1] ? `${milliseconds(turn.opponent_ms)} left` : "";
    return hasClock ? `${milliseconds(Math.max(0, turn.time_ms - (performance.now() - turn.received)))} left` : "";
  }

  buttons() {
    const { over, turn, selection } = this.game;
    if (!this.key) return [];
    if (!over) return turn ? [make("button", { type: "button", class: "quiet", onclick: () => this.resign() }, "Resign")] : [];
    if (!selection) return [];
    const again = (changes) => () => openTable({ ...selection, ...changes }).catch((error) => this.announce(sentence(error.message)));
    return [
      make("button", { type: "button", class: "primary", onclick: again({}) }, "Play again"),
      make("button", { type: "button", class: "quiet", onclick: again({ seat: 3 - selection.seat }) }, "Other seat"),
      make("a", { class: "quiet", href: `/play?${new URLSearchParams({ ...selection, clock: selection.clock ?? "" })}` }, "Other board"),
    ];
  }

  async resign() {
    try {
      await postJson(`/api/tables/${encodeURIComponent(this.id)}/resign`, { key: this.key });
    } catch (error) {
      this.announce(sentence(error.message));
    }
  }
}
