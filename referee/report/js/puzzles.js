// Positions in which one move wins, to be solved by clicks on the board or by keys.

const PUZZLES = JSON.parse(byId("data").textContent);
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
/** Results by puzzle: "right" or "wrong", of the first try. */
const RESULTS = new Map();

/** What is on the screen. step: the cell of a step whose block is to be chosen; line: moves after a try, or null. */
const NOW = { number: 0, step: null, tried: null, shown: 0 };

function showPuzzle(change, focus) {
  Object.assign(NOW, change);
  const puzzle = PUZZLES[NOW.number];
  const board = make("div", { class: "board-frame" }, NOW.tried === null ? questionBoard(puzzle) : lineBoard(puzzle));
  const side = make(
    "div",
    null,
    make("h2", { tabindex: -1 }, `Puzzle ${NOW.number + 1} of ${PUZZLES.length}`),
    make("p", null, `${puzzle.marks[puzzle.seat - 1]} (seat ${puzzle.seat}) to move. One of ${puzzle.legal.length} moves wins.`),
    make("p", { class: "small" }, foreign(`${puzzle.game}, ply ${puzzle.ply}`), `; missed ${plural(puzzle.missed, "time", "times")} of ${puzzle.seen}`),
    NOW.tried === null ? question(puzzle) : null,
    verdict(puzzle),
    NOW.tried === null ? otherMoves(puzzle) : lineList(puzzle),
    buttons(puzzle)
  );
  byId("puzzle").replaceChildren(puzzleNumbers(), make("div", { class: "puzzle" }, board, side), score());
  byId("puzzle").querySelector(focus)?.focus();
}

function question({ variant }) {
  if (NOW.step !== null) return make("p", { role: "status" }, "Now choose the cell to block. Escape takes the step back.");
  const what = variant === "barricade" ? "a cell to step to" : variant === "runner" ? "a cell to step to (round) or to block (square)" : "a cell";
  return make("p", null, `Choose ${what}, by a click, or with the arrow keys and Enter.`);
}

/** Where each legal move that begins with the chosen step leads: cell → move, or null if a block is still to be chosen. */
function choices({ legal, grid }) {
  const found = { steps: new Map(), blocks: new Map() };
  for (const move of legal) {
    const { to, block } = readMove(move, grid);
    if (NOW.step !== null) {
      if (to === NOW.step && block !== null) found.blocks.set(block, move);
    } else if (to !== null) found.steps.set(to, block === null ? move : null);
    else if (block !== null) found.blocks.set(block, move);
  }
  return found;
}

function questionBoard(puzzle) {
  const { grid, marks, seat } = puzzle;
  const cells = cellsOf(puzzle.board);
  const { steps, blocks } = choices(puzzle);
  if (NOW.step !== null) {
    cells[cells.indexOf(marks[seat - 1])] = ".";
    cells[NOW.step] = marks[seat - 1];
  }
  const legal = { steps: new Set(steps.keys()), blocks: new Set(blocks.keys()) };
  const svg = drawPosition(puzzle, cells, legal, null);
  svg.setAttribute("role", "group");
  const open = [...legal.steps, ...legal.blocks].sort((a, b) => a - b);
  open.forEach((cell, at) => {
    const name = nameOf(cell, grid);
    const group = svg.querySelector(`[data-cell="${name}"]`);
    const { x, y } = corner(cell, grid);
    group.prepend(draw("rect", { class: "hit", x: x + 1, y: y + 1, width: CELL - 2, height: CELL - 2 }));
    group.classList.add("choice");
    fill(group, { role: "button", tabindex: at ? -1 : 0, "aria-label": legal.blocks.has(cell) ? `block ${name}` : name, onclick: () => choose(puzzle, cell) }, []);
  });
  svg.addEventListener("keydown", (event) => boardKey(event, puzzle, open, svg));
  return svg;
}

function boardKey(event, puzzle, open, svg) {
  const name = event.target.dataset?.cell;
  if (!name) return;
  const here = open.find((cell) => nameOf(cell, puzzle.grid) === name);
  if (event.key === "Enter" || event.key === " ") choose(puzzle, here);
  else if (event.key in ARROWS) moveFocus(svg, nearest(here, ARROWS[event.key], open, puzzle.grid), puzzle.grid);
  else return;
  event.preventDefault();
}

/** The open cell that is nearest in a direction; those straight ahead count as nearer. */
function nearest(here, [down, right], open, { cols }) {
  const distance = (cell) => {
    const [rows, columns] = [Math.floor(cell / cols) - Math.floor(here / cols), (cell % cols) - (here % cols)];
    const ahead = rows * down + columns * right;
    return ahead > 0 ? ahead + 2 * Math.abs(down ? columns : rows) : Infinity;
  };
  return open.reduce((best, cell) => (distance(cell) < distance(best) ? cell : best), here);
}

function moveFocus(svg, cell, grid) {
  svg.querySelector('[tabindex="0"]').setAttribute("tabindex", -1);
  const group = svg.querySelector(`[data-cell="${nameOf(cell, grid)}"]`);
  group.setAttribute("tabindex", 0);
  group.focus();
}

function choose(puzzle, cell) {
  const { steps, blocks } = choices(puzzle);
  const move = steps.get(cell) ?? blocks.get(cell) ?? null;
  if (move === null) showPuzzle({ step: cell }, '.choice[tabindex="0"]');
  else tryMove(puzzle, move);
}

function tryMove(puzzle, move) {
  const isRight = move === puzzle.answer;
  if (!RESULTS.has(NOW.number)) RESULTS.set(NOW.number, isRight ? "right" : "wrong");
  const [moves] = puzzle.lines[move];
  showPuzzle({ step: null, tried: move, shown: isRight ? 0 : Math.min(1, moves.length - 1) }, "[data-act=on]");
}

/** The comment on the move that was tried. */
function verdict(puzzle) {
  const { tried } = NOW;
  if (tried === null) return make("p", { class: "verdict", role: "status" });
  const [moves, , ending] = puzzle.lines[tried];
  if (tried === puzzle.answer) return make("p", { class: "verdict right", role: "status" }, `Right: ${tried} is the only move that wins.`);
  const reply = moves.length > 1 ? `: ${puzzle.marks[2 - puzzle.seat]} replies ${moves[1]}` : "";
  const end = ending && moves.length <= 2 ? `. ${ending}` : "";
  return make("p", { class: "verdict wrong", role: "status" }, `${tried} gives the win away${reply}${end}.`);
}

/** The moves after a try; each shows its board. */
function lineList(puzzle) {
  const [moves, , ending] = puzzle.lines[NOW.tried];
  const items = moves.map((move, at) =>
    make("li", null, make("button", { type: "button", "aria-current": at === NOW.shown ? "true" : null, "data-move": at, onclick: () => showPuzzle({ shown: at }, `[data-move="${at}"]`) }, move))
  );
  return make("div", null, make("p", { class: "small" }, `Best play from there${ending ? ` (${ending})` : ""}:`), make("ol", { class: "line" }, items));
}

function lineBoard(puzzle) {
  const [moves, changes] = puzzle.lines[NOW.tried];
  let text = puzzle.board;
  for (const [head, end, middle] of changes.slice(0, NOW.shown + 1)) text = text.slice(0, head) + middle + text.slice(text.length - end);
  const last = { from: null, ...readMove(moves[NOW.shown], puzzle.grid) };
  return drawPosition(puzzle, cellsOf(text), { steps: new Set(), blocks: new Set() }, last);
}

function drawPosition({ variant, grid, marks, seat }, cells, legal, last) {
  const rows = Array.from({ length: grid.rows }, (_, row) => cells.slice(row * grid.cols, (row + 1) * grid.cols).join(""));
  const label = `Board, rows from the top: ${rows.join(", ")}`;
  return drawBoard({ variant, grid, cells, marks, mover: seat, legal, last, label });
}

function cellsOf(text) {
  return [...text.replaceAll("/", "")];
}

/** Moves of a game from outside that name no cell. */
function otherMoves(puzzle) {
  const rest = puzzle.legal.filter((move) => !MOVE.test(move));
  if (!rest.length) return null;
  return make("p", { class: "other-moves" }, rest.map((move) => make("button", { type: "button", onclick: () => tryMove(puzzle, move) }, move)));
}

function buttons(puzzle) {
  const button = (act, text, isOff, onclick) => make("button", { type: "button", class: "quiet", "data-act": act, disabled: isOff, onclick }, text);
  const to = (number) => showPuzzle({ number, step: null, tried: null }, "h2");
  const { tried, number } = NOW;
  const isRight = tried === puzzle.answer;
  const isLast = number === PUZZLES.length - 1;
  return make(
    "p",
    { class: "tools" },
    tried === null || isRight ? null : button("on", "Try again", false, () => showPuzzle({ tried: null }, '.choice[tabindex="0"]')),
    isRight ? null : button("answer", "Show the answer", false, () => tryMove(puzzle, puzzle.answer)),
    button("back", "Previous", number === 0, () => to(number - 1)),
    button(isRight && !isLast ? "on" : "next", "Next", isLast, () => to(number + 1))
  );
}

function puzzleNumbers() {
  const items = PUZZLES.map((_, number) => {
    const result = RESULTS.get(number);
    const mark = result === "right" ? " ✓" : result === "wrong" ? " ✗" : "";
    const label = `Puzzle ${number + 1}${result ? `, ${result} at the first try` : ""}`;
    const current = number === NOW.number ? "true" : null;
    return make("li", null, make("button", { type: "button", "aria-label": label, "aria-current": current, onclick: () => showPuzzle({ number, step: null, tried: null }) }, `${number + 1}${mark}`));
  });
  return make("ol", { class: "numbers", "aria-label": "Puzzles" }, items);
}

function score() {
  const right = [...RESULTS.values()].filter((result) => result === "right").length;
  return make("p", { class: "small", id: "score" }, RESULTS.size ? `Right at the first try: ${right} of ${RESULTS.size}.` : "");
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && NOW.step !== null) showPuzzle({ step: null }, '.choice[tabindex="0"]');
});
showPuzzle({});
