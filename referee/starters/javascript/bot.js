#!/usr/bin/env node
// @NAME@, a Blockade bot that plays random legal moves. Your code goes into `choose`.
//
// The referee writes lines to standard input and reads the answers from standard output. Print
// debugging text with console.error, or as a line that starts with `info`.
"use strict";

// The move to play.
function choose(game, turn) {
  const variant = game.variant; // standoff, barricade, lockdown, runner or crossfire
  const rows = Number(game.rows);
  const cols = Number(game.cols);
  const origin = Number(game.origin); // the number of the first row and column, 0 or 1
  const seat = Number(game.seat); // 1 or 2; seat 1 moves first
  const ply = Number(turn.ply); // the number of this move; turn.moves has those before it
  const timeMs = Number(turn.time_ms); // the most that this answer may take
  // The rows from the top, joined by "/"; "." is empty. The cell row,col is
  // board[(row - origin) * (cols + 1) + col - origin].
  const board = turn.board;
  const empty = board.split(".").length - 1;
  const legal = turn.legal.split(";");
  const note = `${variant} ${rows}x${cols} from ${origin}, seat ${seat}, ply ${ply}, ${timeMs} ms`;
  console.log(`info ${note}, ${empty} empty cells, ${legal.length} legal moves`);

  // >>> YOUR CODE GOES HERE: return a better move than this random one. <<<
  const roll = makeDice(`${game.seed} ${ply}`); // the same game gives the same numbers
  return legal[roll(legal.length)];
}

// Dice that roll a number from 0 to sides - 1, by the generator mulberry32.
// (Math.random takes no seed.)
function makeDice(text) {
  let state = 0;
  for (const letter of text) state = Math.imul(state ^ letter.charCodeAt(0), 0x9e3779b1);
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) % sides;
  };
}

let game = {};
require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [verb, ...words] = line.split(" ");
    const fields = {};
    for (const word of words) {
      const equals = word.indexOf("=");
      if (equals >= 0) fields[word.slice(0, equals)] = word.slice(equals + 1);
    }
    if (verb === "game") {
      game = fields; // a new game: the same process may play many
      console.log("ready");
    } else if (verb === "turn") {
      console.log(`move ${choose(game, fields)}`);
    } else if (verb === "quit") {
      process.exit();
    }
    // `end` has the outcome; ignore it, and verbs of later versions of the protocol.
  });
