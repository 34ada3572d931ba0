// The embedded JSON, and its games decoded.

const DATA = JSON.parse(byId("data").textContent);
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const VALUES = new Map([...LETTERS].map((letter, value) => [letter, value]));
const NO_TIME = "___";
const BUSY = 1;

for (const part of DATA.parts) part.rows = part.rows.map((cells) => readRow(part, cells));
const GAMES = DATA.games.map(readGame);
const GAMES_BY_ID = new Map(GAMES.map((game) => [game.id, game]));

/** A row of the standings: its texts by column, and the number of its bot. */
function readRow(part, cells) {
  const row = Object.fromEntries(part.columns.map((column, at) => [column, cells[at]]));
  return part.withdrawn.includes(row.bot) ? { ...row, withdrawn: true, className: "withdrawn" } : row;
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
    encounter: Number.parseInt(tail.slice(tail.lastIndexOf(".") + 1).replace("=", ""), 10),
    board: where,
    bots,
    opening,
    packed: { moves, times },
    plies: typeof moves === "string" ? moves.length / 2 : moves.length,
    score: [first, second],
    reason: DATA.reasons[reason],
    why: DATA.whys[reason],
    started,
    clocks: [DATA.clocks[clockOne], DATA.clocks[clockTwo]],
    busy: Boolean(flags & BUSY),
    faults: extras.faults ?? [],
    info: extras.info ?? [],
    infoLeftOut: extras.info_left_out ?? 0,
    values: extras.values ?? [],
    tags: (extras.tags ?? []).map((tag) => DATA.tags[tag]),
    dossier: extras.dossier ?? null,
    boards: extras.boards ?? null,
    analysis: extras.analysis ?? null,
  };
}

/** A game with its moves and times unpacked, as replay.js shows it. */
function openedGame(game) {
  const { analysis, board } = game;
  return {
    ...game,
    moves: unpackMoves(game.packed.moves, board),
    times: timesOf(game),
    analysis: analysis && { ...analysis, wins: unpackMoves(analysis.wins ?? [], board) },
  };
}

function unpackMoves(moves, board) {
  if (typeof moves !== "string") return moves;
  return chunks(moves, 2).map((letters) => board.moves[numberOf(letters)]);
}

/** Milliseconds per ply; null for opening moves. */
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

/** The note for tables of games, if the page holds only a part of the games. */
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
