// Draw a position as SVG; each variant has its own drawing.

const CELL = 44;
const EDGE = 26;

/** What is special about a game's picture: its ground, its marks, and what lies over them. */
const DRAWINGS = {
  __proto__: null,
  standoff: { gap: 3, marks: { X: blockMark, O: blockMark } },
  lockdown: { gap: 0, marks: { X: crossMark, O: ringMark, "#": hatchedCell }, legend: [["#", "blocked"]] },
  crossfire: { gap: 0, marks: { X: crossMark, O: ringMark, "#": hatchedCell }, over: fireLines, legend: [["#", "blocked"]] },
  barricade: { gap: 0, marks: { A: disc, B: disc, X: bricks }, goals: cornerGoals, legend: [["X", "blockade"]] },
  runner: { gap: 0, marks: { 1: disc, 2: disc, X: stone }, goals: rowGoals, legend: [["X", "block"]] },
};
const ANY_GAME = { gap: 0, marks: {} };

/**
 * shown: {variant, grid, cells, marks, mover (seat to move, or null), legal: {steps, blocks} of
 * cell numbers, last: {from, to, block} or null, label, highlights: Map from cell names to classes}
 */
function drawBoard(shown) {
  const { grid } = shown;
  const drawing = DRAWINGS[shown.variant] ?? ANY_GAME;
  const [width, height] = [EDGE + grid.cols * CELL + 4, EDGE + grid.rows * CELL + 4];
  const svg = draw("svg", {
    class: `board ${shown.variant in DRAWINGS ? shown.variant : "any"}`,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": shown.label,
  });
  svg.append(...coordinates(grid));
  const goals = drawing.goals?.(grid) ?? new Map();
  shown.cells.forEach((_, cell) => svg.append(ground(cell, grid, drawing.gap, goals.get(cell))));
  if (shown.last?.from !== null && shown.last?.from !== undefined) svg.append(trail(shown.last, grid));
  shown.cells.forEach((mark, cell) => svg.append(drawCell(shown, drawing, cell, mark)));
  svg.append(...(drawing.over?.(shown) ?? []));
  return svg;
}

function corner(cell, grid) {
  return { x: EDGE + (cell % grid.cols) * CELL, y: EDGE + Math.floor(cell / grid.cols) * CELL };
}

function center(cell, grid) {
  const { x, y } = corner(cell, grid);
  return { x: x + CELL / 2, y: y + CELL / 2 };
}

function coordinates(grid) {
  const numbers = (count) => Array.from({ length: count }, (_, at) => at);
  const text = (x, y, number) => draw("text", { class: "coordinate", x, y, "text-anchor": "middle", "aria-hidden": "true" }, String(number + grid.origin));
  return [
    ...numbers(grid.cols).map((col) => text(EDGE + col * CELL + CELL / 2, 17, col)),
    ...numbers(grid.rows).map((row) => text(12, EDGE + row * CELL + CELL / 2 + 5, row)),
  ];
}

function ground(cell, grid, gap, goal) {
  const { x, y } = corner(cell, grid);
  return draw("rect", {
    class: "ground" + (goal ? ` goal-${goal}` : ""),
    x: x + gap,
    y: y + gap,
    width: CELL - 2 * gap,
    height: CELL - 2 * gap,
    rx: gap ? 6 : 0,
  });
}

function drawCell(shown, drawing, cell, mark) {
  const { grid, last } = shown;
  const isLast = last !== null && (cell === last.to || cell === last.block);
  const isStep = shown.legal.steps.has(cell);
  const isBlock = shown.legal.blocks.has(cell);
  const group = draw("g", {
    class: ["cell", isLast && "last", (isStep || isBlock) && "legal"].filter(Boolean).join(" "),
    "data-cell": nameOf(cell, grid),
    "data-mark": mark,
  });
  const at = { ...corner(cell, grid), mark, seat: 1 + shown.marks.indexOf(mark) };
  if (mark !== ".") group.append(...(drawing.marks[mark] ?? letterMark)(at));
  if (isLast) group.append(frame(at));
  const highlight = shown.highlights?.get(group.dataset.cell);
  if (highlight) group.append(highlightDot(at, highlight));
  else if (isStep) group.append(legalDot(at, shown.mover));
  else if (isBlock) group.append(legalSquare(at, shown.mover));
  return group;
}

function frame({ x, y }) {
  return draw("rect", { class: "last-frame", x: x + 2, y: y + 2, width: CELL - 4, height: CELL - 4, rx: 6 });
}

function trail({ from, to }, grid) {
  const [one, two] = [center(from, grid), center(to, grid)];
  return draw("line", { class: "trail", x1: one.x, y1: one.y, x2: two.x, y2: two.y });
}

function legalDot({ x, y }, mover) {
  return draw("circle", { class: `legal-mark seat-${mover}`, cx: x + CELL / 2, cy: y + CELL / 2, r: 5 });
}

/** A cell that an analysis points at. */
function highlightDot({ x, y }, name) {
  return draw("circle", { class: `highlight ${name}`, cx: x + CELL / 2, cy: y + CELL / 2, r: 10 });
}

function legalSquare({ x, y }, mover) {
  return draw("rect", { class: `legal-mark hollow seat-${mover}`, x: x + CELL / 2 - 5, y: y + CELL / 2 - 5, width: 10, height: 10, rx: 2 });
}

/** Standoff: a block with its mark on it. */
function blockMark({ x, y, mark, seat }) {
  const block = draw("rect", { class: `fill-${seat}`, x: x + 6, y: y + 6, width: CELL - 12, height: CELL - 12, rx: 6 });
  return [block, onColour(x, y, mark)];
}

function crossMark({ x, y }) {
  const [a, b] = [12, CELL - 12];
  return [draw("path", { class: "stroke-1", d: `M${x + a} ${y + a}L${x + b} ${y + b}M${x + b} ${y + a}L${x + a} ${y + b}` })];
}

function ringMark({ x, y }) {
  return [draw("circle", { class: "stroke-2", cx: x + CELL / 2, cy: y + CELL / 2, r: 11 })];
}

function hatchedCell({ x, y }) {
  const [low, high, step] = [1, CELL - 1, 7];
  const lines = [];
  for (let at = step; at < 2 * (high - low); at += step) {
    const [from, to] = [Math.min(at, high - low), Math.max(0, at - (high - low))];
    lines.push(`M${x + low + from} ${y + low + to}L${x + low + to} ${y + low + from}`);
  }
  return [
    draw("rect", { class: "hatch-ground", x: x + low, y: y + low, width: high - low, height: high - low }),
    draw("path", { class: "hatch-line", d: lines.join("") }),
  ];
}

/** One cell as a picture for a legend. */
function cellPicture(drawing, marks, { mark = ".", goal, isLast, isStep, isBlock }) {
  const grid = { rows: 1, cols: 1, origin: 0 };
  const at = { ...corner(0, grid), mark, seat: 1 + marks.indexOf(mark) };
  return draw(
    "svg",
    { class: "cell-picture", viewBox: `${EDGE - 1} ${EDGE - 1} ${CELL + 2} ${CELL + 2}`, "aria-hidden": "true" },
    ground(0, grid, drawing.gap, goal),
    ...(mark === "." ? [] : (drawing.marks[mark] ?? letterMark)(at)),
    ...(isLast ? [frame(at)] : []),
    ...(isStep ? [legalDot(at, 1)] : []),
    ...(isBlock ? [legalSquare(at, 1)] : [])
  );
}

function disc({ x, y, mark, seat }) {
  return [draw("circle", { class: `fill-${seat}`, cx: x + CELL / 2, cy: y + CELL / 2, r: 15 }), onColour(x, y, mark)];
}

function bricks({ x, y }) {
  const [left, right, top] = [x + 5, x + CELL - 5, y + 5];
  const side = CELL - 10;
  const lines = [1, 2].map((row) => `M${left} ${top + (side * row) / 3}H${right}`);
  const joints = [[0.5, 0], [0.25, 1], [0.75, 1], [0.5, 2]].map(([at, row]) => `M${left + side * at} ${top + (side * row) / 3}v${side / 3}`);
  return [
    draw("rect", { class: "stone", x: left, y: top, width: side, height: side, rx: 3 }),
    draw("path", { class: "joints", d: [...lines, ...joints].join("") }),
  ];
}

function stone({ x, y }) {
  return [draw("rect", { class: "stone", x: x + 5, y: y + 5, width: CELL - 10, height: CELL - 10, rx: 9 })];
}

/** A game from outside: its letters, in the colours of their seats. */
function letterMark({ x, y, mark, seat }) {
  return [draw("text", { class: seat ? `letter seat-${seat}` : "letter", x: x + CELL / 2, y: y + CELL / 2 + 7, "text-anchor": "middle" }, mark)];
}

function onColour(x, y, mark) {
  return draw("text", { class: "on-colour", x: x + CELL / 2, y: y + CELL / 2 + 6.5, "text-anchor": "middle" }, mark);
}

/** Crossfire: from each mark, how far it fires. */
function fireLines({ cells, grid, marks }) {
  const lines = [];
  cells.forEach((mark, cell) => {
    const seat = 1 + marks.indexOf(mark);
    if (!seat) return;
    const from = center(cell, grid);
    for (const other of around(cell, ROOK, grid)) {
      if (cells[other] !== "#") continue;
      const to = center(other, grid);
      const [right, down] = [to.x - from.x, to.y - from.y];
      const ends = { x1: from.x + right * 0.34, y1: from.y + down * 0.34, x2: from.x + right * 0.62, y2: from.y + down * 0.62 };
      lines.push(draw("line", { class: `fire seat-${seat}`, ...ends }));
    }
  });
  return lines;
}

/** Where each seat wants to go: the other's corner. */
function cornerGoals(grid) {
  return new Map([[grid.rows * grid.cols - 1, 1], [0, 2]]);
}

/** The far row. */
function rowGoals(grid) {
  const goals = new Map();
  for (let col = 0; col < grid.cols; col += 1) {
    goals.set(col, 2);
    goals.set((grid.rows - 1) * grid.cols + col, 1);
  }
  return goals;
}
