// Results between bots, as a heat map; each cell links to its games.

function showCrosstable(words) {
  const part = partOf(words.board);
  const choose = boardChoice(part, (board) => go({ view: "crosstable", board }));
  const box = scrollable("Crosstable", crosstable(part));
  byId("crosstable").querySelector(".content").replaceChildren(
    make(
      "div",
      { class: "heading-row" },
      make("p", { class: "lead" }, "Points of the bot at the left against the one above, then wins–losses. A cell leads to its games."),
      choose
    ),
    box,
    heatLegend(),
    ...(part.crossed < part.rows.length - part.withdrawn.length ? [make("p", { class: "note" }, `The first ${counted(part.crossed)} of ${counted(part.rows.length - part.withdrawn.length)} bots; crosstable.md has them all.`)] : [])
  );
  turnHeads(box);
}

/** Turn the heads of a table if it is too wide otherwise; again when the window changes. */
function turnHeads(frame) {
  const box = frame.firstChild;
  let width = 0;
  new ResizeObserver(() => {
    if (box.clientWidth === width) return;
    width = box.clientWidth;
    box.firstChild.classList.remove("turned");
    box.firstChild.classList.toggle("turned", box.scrollWidth > box.clientWidth || headsAreCut(box));
  }).observe(box);
}

function headsAreCut(box) {
  return [...box.querySelectorAll("th.opponent")].some((head) => head.scrollWidth > head.clientWidth);
}

function crosstable(part) {
  const order = part.rows.slice(0, part.crossed).map((row) => row.bot);
  const meetings = new Map(part.meetings.map(([one, two, ...rest]) => [`${one} ${two}`, rest]));
  const head = make(
    "tr",
    null,
    make("th", { scope: "col", class: "first" }, "Bot"),
    order.map((bot) => make("th", { scope: "col", class: "opponent" }, foreign(DATA.bots[bot].name)))
  );
  const rows = order.map((bot) =>
    make(
      "tr",
      null,
      make("th", { scope: "row", class: "first" }, botLink(bot)),
      order.map((other) => meetingCell(bot, other, meetings.get(`${bot} ${other}`), part))
    )
  );
  return make(
    "table",
    { class: "crosstable" + (order.length > 16 ? " wide" : "") },
    make("caption", { class: "visually-hidden" }, `Crosstable: ${partTitle(part)}`),
    make("thead", null, head),
    make("tbody", null, rows)
  );
}

function meetingCell(bot, other, meeting, part) {
  if (bot === other) return make("td", { class: "self" }, unseen("itself"));
  if (!meeting) return make("td", { class: "nothing" }, unseen("no games"));
  const [points, wins, losses] = meeting;
  const [name, against] = [DATA.bots[bot].name, DATA.bots[other].name];
  const address = addressOf({ view: "games", bot: name, opponent: against, board: part.board });
  const share = wins + losses ? wins / (wins + losses) : 0.5;
  return make(
    "td",
    { class: `heat heat-${Math.round(share * 10)}` },
    link(address, unseen(`${name} against ${against}: `), make("b", null, points), unseen(" points, wins–losses "), make("span", null, `${wins}–${losses}`))
  );
}

function heatLegend() {
  const swatches = Array.from({ length: 11 }, (_, at) => make("span", { class: `heat heat-${at}` }));
  return make("p", { class: "legend", "aria-hidden": "true" }, "loses all", make("span", { class: "swatches" }, swatches), "wins all");
}
