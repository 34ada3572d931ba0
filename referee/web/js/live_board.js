// A game that is being played: the report's players, board and moves, with clocks that run.

/** A clock whose time is known from elsewhere, with the text below it. */
const clockNamed = (text) => [text, null, null, null];

/** The title of a board, like `standoff-5x5`. */
function boardTitle({ variant, rows, cols }) {
  return `${variant}-${rows}x${cols}`;
}

/** Where the parts of a game stand: players above the board, moves below it. */
class LiveBoard {
  /** `clockOf(seat)` gives the text of a running clock, or null for the time in the record. */
  constructor(clockOf) {
    this.clockOf = clockOf;
    this.players = make("div", { class: "players" });
    this.board = make("div", { class: "board-frame" });
    this.below = make("div", { class: "below-board" });
    this.moves = make("div", { class: "moves-side" });
    this.element = make("div", { class: "replay" }, this.players, make("div", { class: "board-side" }, this.board, this.below), this.moves);
    this.timer = setInterval(() => this.tick(), 100);
  }

  /** `drawing`: the board as an element; without it, it is drawn from the moves. */
  show(game, drawing = null) {
    const ply = game.moves.length;
    this.element.style.setProperty("--ratio", String(boardRatio(game.board)));
    this.board.replaceChildren(drawing ?? makeGameBoards(game).boardAt(ply));
    this.players.replaceChildren(...[0, 1].map((seat) => playerCard(game, seat, ply, clocksOf(game)[ply])));
    const moves = moveList(game, () => {});
    for (const button of moves.element.querySelectorAll("button.move")) button.replaceWith(make("code", null, button.textContent));
    this.moves.replaceChildren(moves.element);
    moves.show(ply);
    this.tick();
  }

  tick() {
    this.players.querySelectorAll(".clock").forEach((place, seat) => {
      const text = this.clockOf(seat + 1);
      if (text !== null && place.firstChild.data !== text) place.firstChild.data = text;
    });
  }

  close() {
    clearInterval(this.timer);
  }
}

/** A game in the report's form, from its id and its newest position. */
function liveGame(position) {
  const [title, first, second] = position.game.split(".");
  const [, variant, rows, cols] = /^(.+)-(\d+)x(\d+)$/.exec(title) ?? [null, title, "1", "1"];
  return unfinished({
    id: position.game,
    board: { variant, rows: Number(rows), cols: Number(cols), origin: 1, marks: ["1", "2"] },
    bots: [first, second],
    moves: position.moves,
    info: position.info,
    text: position.board,
    clocks: ["on the clock", "on the clock"].map(clockNamed),
    live: position,
  });
}

/** What the report's functions expect of a game, for one that has not ended. */
function unfinished(game) {
  // A game from outside has a text for its newest board alone.
  const boards = game.text ? game.moves.map(() => [0, 0, ""]) : null;
  if (boards) boards.push([0, 0, game.text]);
  return { opening: 0, times: game.moves.map(() => null), score: [0, 0], reason: "", why: "", clocks: ["", ""].map(clockNamed), faults: [], info: [], values: [], boards, ...game };
}

/** What runs on the clock of a live game: the time that is left. */
function liveClock({ live }, seat) {
  const left = live.seat === seat ? live.time_ms - (performance.now() - live.received) : live.opponent_ms;
  return left === null ? "–" : `${milliseconds(Math.max(0, left))} left`;
}
