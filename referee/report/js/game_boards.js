// The positions of one game, as boards to draw.

const RULED = new Set(["no-moves", "goal", "shut-out", "repetition", "move-limit"]);

/**
 * game: {board: {variant, rows, cols, origin, marks}, moves, reason, boards}; see replay.js.
 * Returns {known: number of positions, boardAt(ply, highlights) → element}.
 */
function makeGameBoards(game) {
  const { board, moves } = game;
  const isSane = board.rows >= 1 && board.rows <= 16 && board.cols >= 1 && board.cols <= 16;
  const isOwn = board.variant in GAME_RULES && isSane;
  const positions = isOwn ? positionsOf(board, moves) : foreignPositions(game);

  function boardAt(ply, highlights = new Map()) {
    const position = positions[Math.min(ply, positions.length - 1)];
    if (!position) return make("p", { class: "no-board" }, "The rules of this game are not known here, so there is no board.");
    return isOwn ? ownBoard(game, positions, position, highlights) : foreignBoard(game, position.text, ply, highlights);
  }

  return { known: positions.length, boardAt };
}

/** The boards that the referee wrote down, each as a change of the one before. */
function foreignPositions(game) {
  let text = "";
  return (game.boards ?? []).map(([head, end, middle]) => {
    text = text.slice(0, head) + middle + text.slice(text.length - end);
    return { text };
  });
}

function ownBoard(game, positions, position, highlights) {
  const { variant, rows, cols } = game.board;
  const { origin, marks } = GAME_RULES[variant];
  const grid = { rows, cols, origin };
  const { ply } = position;
  const isOver = ply === game.moves.length && RULED.has(game.reason);
  const legal = { steps: new Set(), blocks: new Set() };
  for (const move of isOver ? [] : position.legal) {
    const { to, block } = readMove(move, grid);
    if (to !== null) legal.steps.add(to);
    else legal.blocks.add(block);
  }
  const last = ply ? { from: null, ...readMove(game.moves[ply - 1], grid) } : null;
  if (last && position.pieces && last.to !== null) last.from = positions[ply - 1].pieces[(ply - 1) % 2];
  const label = `Board after ply ${ply}, rows from the top: ${boardText(position, cols).replaceAll("/", ", ")}`;
  return drawBoard({ variant, grid, cells: position.cells, marks, mover: 1 + (ply % 2), legal, last, label, highlights });
}

/** A board of a game from outside: its text in a grid, if it is one. */
function foreignBoard(game, text, ply, highlights) {
  const rows = text.split("/").map((row) => [...row]);
  const cols = rows[0].length;
  if (cols < 1 || rows.some((row) => row.length !== cols)) return make("pre", { class: "text-board" }, text);
  const grid = { rows: rows.length, cols, origin: game.board.origin };
  const legal = { steps: new Set(), blocks: new Set() };
  const last = ply ? { from: null, ...readMove(game.moves[ply - 1], grid) } : null;
  const label = `Board after ply ${ply}, rows from the top: ${text.replaceAll("/", ", ")}`;
  return drawBoard({ variant: game.board.variant, grid, cells: rows.flat(), marks: game.board.marks, mover: 1 + (ply % 2), legal, last, label, highlights });
}

function marksOf(board) {
  return GAME_RULES[board.variant]?.marks ?? board.marks;
}

/** What the marks of a board mean, each with a small drawing of it. */
function boardLegend(game) {
  const { board, bots } = game;
  const drawing = DRAWINGS[board.variant];
  if (!drawing) return null;
  const marks = marksOf(board);
  const items = bots.map((name, seat) => [cellPicture(drawing, marks, { mark: marks[seat] }), foreign(name)]);
  for (const [mark, text] of drawing.legend ?? []) items.push([cellPicture(drawing, marks, { mark }), text]);
  if (drawing.goals) items.push([cellPicture(drawing, marks, { goal: 1 }), "goal, in the colour of its seat"]);
  items.push([cellPicture(drawing, marks, { isLast: true }), "last move"], [cellPicture(drawing, marks, { isStep: true }), "legal"]);
  if (board.variant === "runner") items.push([cellPicture(drawing, marks, { isBlock: true }), "may be blocked"]);
  return make("ul", { class: "board-legend", "aria-label": "Legend" }, items.map(([picture, text]) => make("li", null, picture, text)));
}
