// Moves of the five games, to draw them ply by ply. Outcomes are read from the record, not computed.
// A test compares random games under these rules with the Python rules.

const KING = [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];
const ROOK = [[-1, 0], [0, -1], [0, 1], [1, 0]];
const MOVE = /^(?:(\d+),(\d+))?(?:x(\d+),(\d+))?$/;

const GAME_RULES = {
  __proto__: null, // a game from outside may be called `constructor`
  standoff: { origin: 1, marks: ["X", "O"], ...placing(KING, false) },
  lockdown: { origin: 1, marks: ["X", "O"], ...placing(KING, true) },
  crossfire: { origin: 0, marks: ["X", "O"], ...placing(ROOK, true) },
  barricade: { origin: 0, marks: ["A", "B"], start: startBarricade, legal: legalInBarricade, apply: step },
  runner: { origin: 1, marks: ["1", "2"], start: startRunner, legal: legalInRunner, apply: step },
};

/** Every position of a game, the first before any move; shorter if a move is not legal. */
function positionsOf(board, moves) {
  const rules = GAME_RULES[board.variant];
  const grid = { rows: board.rows, cols: board.cols, origin: rules.origin };
  let position = { cells: Array(grid.rows * grid.cols).fill("."), ply: 0, ...rules.start(grid) };
  const positions = [];
  for (const move of [...moves, null]) {
    position.legal = rules.legal(position, grid);
    positions.push(position);
    if (!position.legal.includes(move)) break;
    position = { ...position, cells: [...position.cells], ply: position.ply + 1 };
    rules.apply(position, readMove(move, grid), grid);
  }
  return positions;
}

/** The cells of a move by their numbers: where to, and which gets a block. */
function readMove(move, grid) {
  const [, row, col, blockRow, blockCol] = MOVE.exec(move) ?? [];
  return { to: cellAt(row, col, grid), block: cellAt(blockRow, blockCol, grid) };
}

function cellAt(row, col, grid) {
  if (row === undefined) return null;
  return (Number(row) - grid.origin) * grid.cols + Number(col) - grid.origin;
}

function nameOf(cell, grid) {
  return `${Math.floor(cell / grid.cols) + grid.origin},${(cell % grid.cols) + grid.origin}`;
}

function around(cell, directions, grid) {
  const row = Math.floor(cell / grid.cols);
  const col = cell % grid.cols;
  return directions
    .map(([down, right]) => [row + down, col + right])
    .filter(([r, c]) => r >= 0 && r < grid.rows && c >= 0 && c < grid.cols)
    .map(([r, c]) => r * grid.cols + c);
}

/** Standoff, lockdown, crossfire: a mark closes its neighbours, to the opponent or to both. */
function placing(directions, toBoth) {
  return {
    start: () => ({ closed: [new Set(), new Set()] }),
    legal(position, grid) {
      const closed = position.closed[position.ply % 2];
      return position.cells.map((_, cell) => cell).filter((cell) => !closed.has(cell)).map((cell) => nameOf(cell, grid));
    },
    apply(position, { to }, grid) {
      const mover = (position.ply - 1) % 2;
      const closed = position.closed.map((cells) => new Set(cells).add(to));
      position.closed = closed;
      position.cells[to] = "XO"[mover];
      for (const cell of around(to, directions, grid)) {
        closed[1 - mover].add(cell);
        if (!toBoth) continue;
        closed[mover].add(cell);
        if (position.cells[cell] === ".") position.cells[cell] = "#";
      }
    },
  };
}

/** Barricade and runner: a piece steps, or a cell is blocked, or both. */
function step(position, { to, block }) {
  const mover = (position.ply - 1) % 2;
  position.pieces = [...position.pieces];
  if (to !== null) {
    const here = position.pieces[mover];
    position.cells[to] = position.cells[here];
    position.cells[here] = ".";
    position.pieces[mover] = to;
  }
  if (block !== null) position.cells[block] = "X";
}

function withPieces(pieces, marks, grid) {
  const cells = Array(grid.rows * grid.cols).fill(".");
  pieces.forEach((cell, seat) => (cells[cell] = marks[seat]));
  return { pieces, cells };
}

function startBarricade(grid) {
  return withPieces([0, grid.rows * grid.cols - 1], "AB", grid);
}

function legalInBarricade({ cells, pieces, ply }, grid) {
  const here = pieces[ply % 2];
  const goal = ply % 2 ? 0 : cells.length - 1;
  const found = [];
  for (const to of around(here, ROOK, grid)) {
    if (cells[to] !== ".") continue;
    if (to === goal) {
      found.push(nameOf(to, grid));
      continue;
    }
    // The cell just left is free by then.
    const free = around(to, KING, grid).filter((cell) => cells[cell] === "." || cell === here);
    found.push(...free.map((cell) => `${nameOf(to, grid)}x${nameOf(cell, grid)}`));
  }
  return found;
}

function startRunner(grid) {
  const column = Math.floor((grid.cols + 1) / 2) - 1;
  return withPieces([column, column + (grid.rows - 1) * grid.cols], "12", grid);
}

function legalInRunner({ cells, pieces, ply }, grid) {
  const isFree = (cell) => cells[cell] === ".";
  const touched = new Set(pieces.flatMap((piece) => [piece, ...around(piece, KING, grid)]));
  const steps = around(pieces[ply % 2], KING, grid).filter(isFree);
  const blocks = cells.map((_, cell) => cell).filter((cell) => isFree(cell) && !touched.has(cell));
  return [...steps.map((cell) => nameOf(cell, grid)), ...blocks.map((cell) => "x" + nameOf(cell, grid))];
}

/** A board as one word, like the referee's: rows joined by `/`. */
function boardText(position, cols) {
  const rows = [];
  for (let at = 0; at < position.cells.length; at += cols) rows.push(position.cells.slice(at, at + cols).join(""));
  return rows.join("/");
}
