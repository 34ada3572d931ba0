// The bracket of a knockout as SVG: a column per round, a box per match.

const BRACKET = { width: 190, gap: 40, row: 26, head: 34, between: 20, most: 32 };

/**
 * stages: [{title, matches: [match or null]}], each with half as many matches as the one before.
 * match: {bots: [name or null, …], scores, winner, bye, note, address}; third: such a match, or null.
 */
function drawBracket(stages, third, label) {
  // A very large bracket is drawn from the round of 32 on.
  const shown = stages.slice(Math.max(0, stages.findIndex(({ matches }) => matches.length <= BRACKET.most / 2)));
  const { width, gap, row, head, between } = BRACKET;
  const slot = 2 * row + between;
  const count = shown[0].matches.length;
  const thirdTop = head + count * slot + (count === 1 ? between : 0) + between;
  const height = third && count < 4 ? thirdTop + head + slot : head + count * slot;
  const total = shown.length * (width + gap) - gap + 2;
  const svg = draw("svg", { class: "bracket", width: total, height, viewBox: `0 0 ${total} ${height}`, role: "group", "aria-label": label });
  shown.forEach((stage, column) => {
    const x = 1 + column * (width + gap);
    const span = slot * 2 ** column;
    svg.append(draw("text", { class: "stage", x, y: 18 }, stage.title));
    stage.matches.forEach((match, place) => {
      const middle = head + span * (place + 0.5) - between / 2;
      if (column) svg.append(bracketLines(x, middle, span / 2));
      svg.append(bracketMatch(match, x, middle - row, stage.title));
    });
  });
  if (third) {
    const x = 1 + (shown.length - 1) * (width + gap);
    // Below the final there is room where at least four matches stand in the first column.
    const top = count < 4 ? thirdTop : head + (count * slot) / 2 - between / 2 + row + between * 2;
    svg.append(draw("text", { class: "stage", x, y: top + 18 }, "Third place"));
    svg.append(bracketMatch(third, x, top + head - 4, "Third place"));
  }
  return svg;
}

/** From the two matches at the left to the one at `middle`. */
function bracketLines(x, middle, half) {
  const { gap } = BRACKET;
  const turn = x - gap / 2;
  const above = middle - half / 2;
  const below = middle + half / 2;
  return draw("path", { class: "lines", d: `M${x - gap} ${above}H${turn}V${below}H${x - gap}M${turn} ${middle}H${x}` });
}

function bracketMatch(match, x, y, title) {
  const { width, row } = BRACKET;
  const box = draw("rect", { class: "box", x, y, width, height: 2 * row, rx: 6 });
  if (!match) return draw("g", { class: "match open", role: "img", "aria-label": `${title}: not known yet` }, box);
  const [one, two] = match.bots;
  const [first, second] = match.scores ?? ["", ""];
  // The words of the drawing in their order, as voice control needs them.
  const names = match.bye ? `${one ?? two} bye` : `${one} ${first} ${two} ${second}`;
  const winner = match.winner === null || match.bye ? "" : `, ${match.bots[match.winner]} wins`;
  const label = `${title}: ${names}${winner}${match.note ? `, ${match.note}` : ""}`;
  const parts = [
    box,
    draw("line", { class: "middle", x1: x, x2: x + width, y1: y + row, y2: y + row }),
    ...match.bots.flatMap((name, at) => bracketName(match, name, at, x, y + at * row)),
  ];
  if (!match.address) return draw("g", { class: "match", role: "img", "aria-label": label }, parts);
  return draw("a", { class: "match", href: match.address, "aria-label": label }, parts);
}

function bracketName(match, name, at, x, y) {
  const { width, row } = BRACKET;
  const isWinner = match.winner === at && !match.bye;
  const text = name === null ? "bye" : shortened(name, 17);
  const score = match.scores?.[at];
  const middle = y + row / 2 + 5;
  return [
    isWinner ? draw("rect", { class: "won", x: x + 1, y: y + 4, width: 4, height: row - 8, rx: 2 }) : null,
    draw("text", { class: isWinner ? "winner" : name === null ? "bye" : "name", x: x + 12, y: middle }, text),
    " ",
    score === undefined ? null : draw("text", { class: isWinner ? "winner" : "name", x: x + width - 10, y: middle, "text-anchor": "end" }, score),
    match.parts?.length > 1 && at === 1 ? draw("text", { class: "name", x: x + width + 4, y: y - row + 10, "aria-hidden": "true" }, "*") : null,
    " ",
  ].filter(Boolean);
}

/** Names are shortened in the middle: similar names often differ at an end. */
function shortened(name, length) {
  const letters = [...name];
  if (letters.length <= length) return name;
  const tail = Math.floor((length - 1) / 2);
  return `${letters.slice(0, length - 1 - tail).join("")}…${letters.slice(letters.length - tail).join("")}`;
}
