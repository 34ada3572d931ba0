// The standings, with ratings drawn beside the points.

function showOverview(words) {
  const part = partOf(words.board);
  const ratings = part.ratings;
  const choose = boardChoice(part, (board) => go({ view: "overview", board }));
  const table = sortableTable(`Standings: ${partTitle(part)}`, standingsColumns(part), standingsRows(part));
  byId("standings").replaceChildren(
    make("div", { class: "heading-row" }, make("h2", null, "Standings"), choose),
    scrollable("Standings", table),
    ...(Object.keys(ratings).length ? [ratingWords(part)] : [])
  );
}

function standingsRows(part) {
  const gone = part.withdrawn.map((bot) => ({ bot, withdrawn: true, className: "withdrawn" }));
  return [...part.rows, ...gone];
}

function standingsColumns(part) {
  const scale = ratingScale(part.ratings);
  const has = (key) => part.rows.some((row) => row[key] > 0);
  const number = (title, value, text) => ({
    title,
    number: true,
    value: (row) => (row.withdrawn ? null : value(row)),
    cell: (row) => (row.withdrawn ? "–" : text ? text(row) : short(value(row))),
  });
  const share = (title, key) => number(title, (row) => row[key][0] / (row[key][1] || 1), (row) => percent(...row[key]));
  const tieBreaks = DATA.tie_breaks.map((name, at) => number(name, (row) => row.tie_breaks[at]));
  return [
    { ...number("Rank", (row) => row.rank), ascending: true, className: "rank" },
    { title: "Bot", first: true, value: (row) => DATA.bots[row.bot].name, cell: (row) => botLink(row.bot) },
    number("Points", (row) => row.points),
    {
      title: "Elo, with its 95 % interval",
      className: "rating",
      number: true,
      value: (row) => part.ratings[row.bot]?.[0] ?? null,
      cell: (row) => ratingCell(part.ratings[row.bot], scale),
    },
    number("Score %", (row) => (row.points - row.byes) / (row.games || 1), (row) => percent(row.points - row.byes, row.games)),
    number("Games", (row) => row.games),
    number("Wins", (row) => row.wins),
    number("Losses", (row) => row.losses),
    ...(has("draws") ? [number("Draws", (row) => row.draws)] : []),
    ...(has("byes") ? [number("Byes", (row) => row.byes)] : []),
    share("Seat 1 %", "seat_1"),
    share("Seat 2 %", "seat_2"),
    ...tieBreaks,
    {
      title: "Faults",
      number: true,
      value: (row) => (row.withdrawn ? null : row.faults.reduce((sum, [, count]) => sum + count, 0)),
      cell: (row) => (row.withdrawn ? "withdrawn" : faultsCell(row, part)),
    },
  ];
}

function botLink(bot) {
  const { name } = DATA.bots[bot];
  return link(addressOf({ view: "bots", bot: name }), foreign(name));
}

function ratingCell(rating, scale) {
  if (!rating) return "–";
  const [elo, low, high, note] = rating;
  const text = make("span", { class: "elo" }, signed(elo));
  const range = make("span", { class: "range" }, `${signed(low)} to ${signed(high)}`);
  return make("div", { class: "rated", title: note }, text, intervalPlot(rating, scale), range);
}

function faultsCell(row, part) {
  if (!row.faults.length) return "0";
  const text = row.faults.map(([reason, count]) => `${reason} ${count}`).join(", ");
  return link(addressOf({ view: "games", bot: DATA.bots[row.bot].name, board: part.board, faults: 1 }), foreign(text));
}

/** Who is better than whom, how surely; which ratings to be careful with. */
function ratingWords(part) {
  const notes = Object.entries(part.ratings)
    .filter(([, rating]) => rating[3])
    .map(([bot, rating]) => `${DATA.bots[bot].name}: ${rating[3]}`);
  const lines = [...part.sentences, ...notes].map((text) => make("li", null, foreign(text)));
  return make("details", { class: "words" }, make("summary", null, "What these ratings say"), make("ul", null, lines));
}
