// The embedded JSON, and its games decoded.

const DATA = JSON.parse(byId("data").textContent);
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const VALUES = new Map([...LETTERS].map((letter, value) => [letter, value]));
const NO_TIME = "___";
const BUSY = 1;

for (const part of DATA.parts) part.rows = part.rows.map(readRow);
const GAMES = DATA.games.map(readGame);
const GAMES_BY_ID = new Map(GAMES.map((game) => [game.id, game]));

/** A line of the standings. */
function readRow([rank, bot, points, byes, games, wins, losses, draws, seat_1, seat_2, tie_breaks, faults]) {
  return { rank, bot, points, byes, games, wins, losses, draws, seat_1, seat_2, tie_breaks, faults };
}

/** A game as the list shows it; its moves and times are unpacked when it is opened. */
function readGame(row, number) {
  const [board, one, two, tail, opening, moves, times, first, second, reason, started, ...rest] = row;
  const [clockOne, clockTwo, flags, extras = {}] = rest;
  const where = DATA.boards[board];
  const bots = [DATA.bots[one].name, DATA.bots[two].name];
  return {
    number,
    id: tail.startsWith("=") ? tail.slice(1) : [where.name, ...bots, tail].join("."),
    board: where,
    bots,
    opening,
    packed: { moves, times },
    plies: typeof moves === "string" ? moves.length / 2 : moves.length,
    score: [first, second],
    reason: DATA.reasons[reason],
    started,
    clocks: [DATA.clocks[clockOne], DATA.clocks[clockTwo]],
    busy: Boolean(flags & BUSY),
    faults: extras.faults ?? [],
    info: extras.info ?? [],
    infoLeftOut: extras.info_left_out ?? 0,
    dossier: extras.dossier ?? null,
    boards: extras.boards ?? null,
  };
}

function movesOf(game) {
  const { moves } = game.packed;
  if (typeof moves !== "string") return moves;
  return chunks(moves, 2).map((letters) => game.board.moves[numberOf(letters)]);
}

/** Milliseconds per ply; null where nobody thought. */
function timesOf(game) {
  return chunks(game.packed.times, 3).map((letters) => {
    if (letters === NO_TIME) return null;
    const bits = numberOf(letters);
    return ((bits & 0x3fff) * 2 ** (bits >> 14)) / 100;
  });
}

function chunks(text, length) {
  const found = [];
  for (let at = 0; at < text.length; at += length) found.push(text.slice(at, at + length));
  return found;
}

function numberOf(letters) {
  let number = 0;
  for (const letter of letters) number = number * 64 + VALUES.get(letter);
  return number;
}

/** Who won, in words. */
function resultOf(game) {
  const [one, two] = game.score;
  if (one === two) return one > 0 ? "a draw" : "both lose";
  return one > two ? "1 – 0" : "0 – 1";
}

/** The part of the tables that a board's name stands for; the first is the one of all games. */
function partOf(board) {
  return DATA.parts.find((part) => part.board === board) ?? DATA.parts[0];
}

function partTitle(part) {
  return part.board ?? "All games";
}

/** A choice among the boards, where there are several. */
function boardChoice(part, onchoose) {
  if (DATA.parts.length === 1) return null;
  const options = DATA.parts.map((one) => [one.board ?? "", partTitle(one)]);
  return choice("Board", options, part.board ?? "", onchoose);
}

/** Said wherever games are missing, because the page holds a part of them only. */
function missingGames() {
  const missing = DATA.total - GAMES.length;
  if (missing <= 0) return null;
  return make(
    "p",
    { class: "note" },
    `This page holds ${counted(GAMES.length)} of ${counted(DATA.total)} games. The tables count all of them; `,
    "to step through others, write the page again: ",
    make("code", null, "referee report DIR --games all"),
    ", a number, or patterns of ids."
  );
}
