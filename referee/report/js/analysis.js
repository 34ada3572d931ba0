// What is proven about the positions of a game: who wins, by which moves, which moves were errors.

const MOST_LISTED = 8;

/** Options of mountReplay for a game with an analysis; none without. */
function analysisOptions(game) {
  if (!game.analysis) return {};
  const positions = provenPositions(game.analysis);
  const errors = new Set(game.analysis.errors);
  return {
    errors: game.analysis.errors,
    firstStrip: (_, onchoose) => winnerStrip(game, onchoose),
    markOf: (ply) => (errors.has(ply) ? errorMark() : null),
    cellsAt: (ply) => keepingCells(game, positions[ply], ply, errors.has(ply + 1)),
    noteAt: (ply) => provenWords(game, positions[ply], ply, errors.has(ply + 1)),
  };
}

/** Positions: {winner: "1", "2", "=" or "?", wins, unproved, legal}; wins is null where it is not known. */
function provenPositions({ winners, counts, wins }) {
  let at = 0;
  let from = 0;
  return [...winners].map((winner, ply) => {
    if (winner !== String(1 + (ply % 2)) || !counts) return { winner, wins: null };
    const [won, unproved, legal] = counts.slice(at, at + 3);
    at += 3;
    from += won;
    return { winner, wins: wins.slice(from - won, from), unproved, legal };
  });
}

function errorMark() {
  return make("span", { class: "error-mark", title: "This move gives the win away." }, "??", unseen(" gives the win away"));
}

/** The cells of moves that keep the win, and that of an error. */
function keepingCells(game, position, ply, isError) {
  const cells = new Map();
  if (!position?.wins) return cells;
  const mark = (move, name) => cells.set(/\d+,\d+/.exec(move)?.[0], name);
  if (isError) mark(game.moves[ply], "bad");
  for (const move of position.wins) mark(move, "good");
  return cells;
}

/** "mirror to move: 4 of 9 moves keep the win (green); it played 2,1 ??" */
function provenWords(game, position, ply, isError) {
  if (!position) return [];
  const mover = ply % 2;
  const move = game.moves[ply];
  const words = [make("br"), foreign(game.bots[mover]), " to move: "];
  if (position.winner === "?") words.push("who wins is unproved");
  else if (position.winner === "=") words.push("a draw with perfect play");
  else if (position.winner !== String(mover + 1)) words.push("lost against perfect play, whatever it plays");
  else if (!position.wins) words.push("won with perfect play");
  else words.push(...keepingWords(position));
  if (isError) words.push("; it played ", make("code", null, move), " ", errorMark());
  return [make("span", { class: "proven" }, words)];
}

function keepingWords({ wins, unproved, legal }) {
  const rest = unproved ? `, ${counted(unproved)} ${unproved === 1 ? "is" : "are"} unproved` : "";
  if (wins.length === legal) return [legal === 1 ? "its only move wins" : `all ${counted(legal)} moves keep the win`];
  const words = [`${counted(wins.length)} of ${counted(legal)} moves ${wins.length === 1 ? "keeps" : "keep"} the win (green)${rest}`];
  // A step that is drawn green wins with some blocks only.
  if (wins.some((move) => move.indexOf("x") > 0)) {
    const some = wins.slice(0, MOST_LISTED).join(" ");
    words.push(": ", make("code", null, some), wins.length > MOST_LISTED ? " …" : "");
  }
  return words;
}

/** Who wins after each ply: seat 1 above, seat 2 below, neither where it is not proven. */
function winnerStrip(game, onchoose) {
  const { winners, errors } = game.analysis;
  const plies = game.moves.length;
  const result = winnerOf(game);
  const after = Array.from({ length: plies }, (_, at) => winners[at + 1] ?? (result === null ? "=" : String(result + 1)));
  const count = (letter) => after.filter((one) => one === letter).length;
  const label =
    `Who wins with perfect play: seat 1 after ${count("1")} plies, seat 2 after ${count("2")}` +
    (count("=") ? `, a draw after ${count("=")}` : "") +
    (count("?") ? `, unproved after ${count("?")}` : "") +
    `; ${errors.length ? `errors at plies ${errors.join(", ")}` : "no errors"}`;
  const caption =
    "Who wins with perfect play (proven): seat 1 above, seat 2 below" +
    (count("?") ? ", dashed where it is unproved" : "") +
    (errors.length ? ". A step is an error of a bot, or in the opening." : ".");
  const strip = plyStrip(plies, label, caption, onchoose);
  strip.svg.classList.add("winners");
  after.forEach((winner, at) => strip.svg.append(winnerColumn(winner, at, strip.slot)));
  return strip;
}

function winnerColumn(winner, at, slot) {
  const middle = STRIP.height / 2;
  if (winner === "1" || winner === "2") {
    return draw("rect", { class: `seat-${winner}`, x: at * slot, width: slot, y: winner === "1" ? 0 : middle, height: middle });
  }
  const name = winner === "?" ? "unproved" : "drawn";
  return draw("line", { class: name, x1: at * slot, x2: (at + 1) * slot, y1: middle, y2: middle });
}

/** Whether the loser of a game had a won position after the opening; of that bot, if one is named. */
function isLostWin(game, bot) {
  const winner = winnerOf(game);
  if (!game.analysis || winner === null || (bot && game.bots[1 - winner] !== bot)) return false;
  return game.analysis.winners.slice(game.opening).includes(String(2 - winner));
}

/** How often a bot gave the win away. */
function errorsOf(game) {
  return game.analysis?.errors.length ?? 0;
}

/** The ply before the next error; after the last one, that before the first. */
function nextError(errors, ply) {
  return (errors.find((error) => error - 1 > ply) ?? errors[0]) - 1;
}
