// Words and numbers for people. Numbers of tables are formatted in Python.

/** With a capital letter, as a sentence begins. */
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function counted(value) {
  return value.toLocaleString("en");
}

function plural(count, one, many) {
  return `${counted(count)} ${count === 1 ? one : many}`;
}

/** Milliseconds with three digits or more, like `duration_text` in Python. */
function milliseconds(ms) {
  if (ms >= 10000) return (ms / 1000).toFixed(1) + " s";
  if (ms >= 1000) return (ms / 1000).toFixed(2) + " s";
  return (ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2)) + " ms";
}

/** A number of a bot: short, and exact where that is possible in few digits. */
function figure(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return counted(value);
  return String(Number(value.toPrecision(4)));
}

/** Who won, in the numbers of a result. */
function resultOf(game) {
  const [one, two] = game.score;
  if (one === two) return one > 0 ? "a draw" : "both lose";
  return one > two ? "1 – 0" : "0 – 1";
}

/** The seat that won, 0 or 1; null if there is none. */
function winnerOf(game) {
  const [one, two] = game.score;
  return one === two ? null : one > two ? 0 : 1;
}

/** The sentence of the terminal: who wins and why, as elements; `game.why` has places for names. */
function endingOf(game) {
  const winner = winnerOf(game);
  if (winner === null) return [sentence(resultOf(game)), ": ", foreign(game.reason)];
  const names = { winner: game.bots[winner], loser: game.bots[1 - winner] };
  const parts = game.why.split(/\{(winner|loser)\}/).map((text, at) => (at % 2 ? foreign(names[text]) : text));
  return [foreign(names.winner), " wins: ", ...parts];
}
