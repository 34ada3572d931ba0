// The list of moves of one game, with the `info` lines of the bots and the answer that failed.

/** Returns {element, show(ply)}; `markOf(ply)` may give an element to stand behind a move. */
function moveList(game, onchoose, markOf) {
  const said = new Map();
  for (const [ply, seat, text] of game.info) said.set(ply, [...(said.get(ply) ?? []), { seat, text }]);
  for (const [ply, seat, values] of game.values ?? []) said.set(ply, [...(said.get(ply) ?? []), { seat, values }]);
  const rows = [infoRow(game, said.get(0))];
  game.moves.forEach((move, at) => {
    rows.push(moveRow(game, at, move, onchoose, markOf?.(at + 1)), infoRow(game, said.get(at + 1)));
  });
  rows.push(...failedRows(game));
  for (const [ply, lines] of said) if (ply > game.moves.length) rows.push(infoRow(game, lines));
  const head = ["Ply", "Bot", "Move", "Time"].map((title) => make("th", { scope: "col", class: title === "Time" || title === "Ply" ? "number" : null }, title));
  const table = make(
    "table",
    { class: "moves" },
    make("caption", { class: "visually-hidden" }, "Moves, and what the bots said"),
    make("thead", null, make("tr", null, head)),
    make("tbody", null, rows.filter(Boolean))
  );
  const box = scrollable("Moves", table);
  box.classList.add("moves-frame");
  return { element: box, show: (ply) => markRow(box.firstChild, ply) };
}

function moveRow(game, at, move, onchoose, mark) {
  const ms = game.times[at];
  const button = make("button", { type: "button", class: "move", onclick: () => onchoose(at + 1) }, move);
  const time = ms === null || ms === undefined ? (at < game.opening ? "opening" : "–") : milliseconds(ms);
  return make(
    "tr",
    { "data-ply": at + 1, class: `seat-${(at % 2) + 1}` },
    make("td", { class: "number" }, String(at + 1)),
    make("td", null, foreign(game.bots[at % 2])),
    make("td", null, button, mark),
    make("td", { class: "number" }, time)
  );
}

/** Answers that lost the game. */
function failedRows(game) {
  return game.faults.map(([seat, reason], at) => {
    const facts = Object.fromEntries(game.dossier?.faults[at]?.rows ?? []);
    const answer = facts["it sent"] ? make("code", null, facts["it sent"]) : "no answer";
    return make(
      "tr",
      { class: "failed" },
      make("td", { class: "number" }, String(game.moves.length + 1)),
      make("td", null, foreign(game.bots[seat - 1] ?? "?")),
      make("td", null, answer, " ", make("span", { class: "fault" }, foreign(reason))),
      make("td", { class: "number" }, (facts.time ?? "–").split(" of ")[0])
    );
  });
}

/** What bots said while they were asked for a ply. */
function infoRow(game, lines) {
  if (!lines) return null;
  const texts = lines.map(({ seat, text, values }) =>
    make("li", null, make("span", { class: "small" }, foreign(game.bots[seat - 1] ?? "?"), ": "), ...(values ? valueWords(values) : [foreign(text)]))
  );
  return make("tr", { class: "info" }, make("td", { colspan: 4 }, make("ul", { "aria-label": "info" }, texts)));
}

/** Tags and numbers of a line. */
function valueWords(values) {
  return Object.entries(values).flatMap(([key, value]) => [make("span", { class: "value" }, foreign(key), " ", make("b", null, foreign(typeof value === "number" ? figure(value) : value))), " "]);
}

function markRow(box, ply) {
  box.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const row = box.querySelector(`tr[data-ply="${ply}"]`);
  if (!row) {
    box.scrollTop = 0;
    return;
  }
  row.setAttribute("aria-current", "true");
  // Only the list scrolls, never the page.
  const head = box.querySelector("thead").offsetHeight;
  if (row.offsetTop - head < box.scrollTop) box.scrollTop = row.offsetTop - head;
  // With the last move comes what follows it: the answer that failed.
  const last = row.parentElement.querySelector(`tr[data-ply="${ply + 1}"]`) ? row : row.parentElement.lastElementChild;
  const end = last.offsetTop + last.offsetHeight;
  if (end > box.scrollTop + box.clientHeight) box.scrollTop = end - box.clientHeight;
}
