// The page of one bot: results by board, score history, thinking times, faults.

function showBots(words) {
  const number = Math.max(0, DATA.bots.findIndex((bot) => bot.name === words.bot));
  const bot = DATA.bots[number];
  const options = DATA.bots.map(({ name }) => [name, name]);
  byId("bots").querySelector(".content").replaceChildren(
    choice("Bot", options, bot.name, (name) => go({ view: "bots", bot: name })),
    make("h2", { class: "bot-name" }, foreign(bot.name), bot.withdrawn ? make("span", { class: "fault" }, " withdrawn") : null),
    botTiles(bot, number),
    make(
      "div",
      { class: "panels" },
      make("div", null, panel("Results by board and seat", resultsTable(bot)), panel("Faults", faultsList(bot))),
      make("div", null, panel("Score over the course of the tournament", courseChart(bot)), panel("Thinking time per move, in milliseconds", thinkingChart(bot)))
    ),
    make("p", null, link(addressOf({ view: "games", bot: bot.name }), "All games of ", foreign(bot.name)))
  );
}

function panel(title, content) {
  return make("section", { class: "panel" }, make("h3", null, title), content);
}

function botTiles(bot, number) {
  const row = DATA.parts[0].rows.find((one) => one.bot === number);
  const rating = DATA.parts[0].ratings[number];
  const tiles = [
    ["Rank", row ? `${row.rank} of ${DATA.parts[0].rows.length}` : "–"],
    ["Points", row ? `${short(row.points)} of ${counted(row.games + row.byes)}` : "–"],
    ["Score", row?.games ? `${percent(row.points - row.byes, row.games)} %` : "–"],
    ["Elo", rating ? signed(rating[0]) : "–"],
    ["Mean time", bot.moves && bot.mean_ms !== null ? milliseconds(bot.mean_ms) : "–"],
  ];
  return make("dl", { class: "tiles" }, tiles.map(([title, text]) => make("div", null, make("dt", null, title), make("dd", null, text))));
}

function resultsTable(bot) {
  if (!bot.results.length) return make("p", null, "No games yet.");
  const boards = [...new Set(bot.results.map(([board]) => board))];
  const seats = (board) => [1, 2].map((seat) => bot.results.find(([name, at]) => name === board && at === seat));
  const rows = boards.map((board) =>
    make("tr", null, make("th", { scope: "row", class: "first" }, link(addressOf({ view: "games", bot: bot.name, board }), foreign(board))), seats(board).map(resultCell))
  );
  const head = ["Board", "Seat 1", "Seat 2"].map((title, at) => make("th", { scope: "col", class: at ? "opponent" : "first" }, title));
  const table = make("table", { class: "crosstable" }, make("caption", { class: "visually-hidden" }, `Results of ${bot.name}`), make("thead", null, make("tr", null, head)), make("tbody", null, rows));
  return scrollable("Results by board and seat", table);
}

function resultCell(result) {
  if (!result) return make("td", { class: "nothing" }, unseen("no games"));
  const [, , wins, losses, draws, points] = result;
  const games = wins + losses + draws;
  const text = `${wins}–${losses}` + (draws ? `–${draws}` : "");
  return make("td", { class: `heat heat-${Math.round((10 * points) / games)}` }, make("b", null, `${percent(points, games)} %`), make("span", null, text));
}

function courseChart(bot) {
  if (!bot.course.length) return make("p", null, "No games yet.");
  const [games, points] = bot.course[bot.course.length - 1];
  const line = bot.course.map(([at, sum]) => [at / games, sum / at]);
  const label = `Score after each game so far, in the end ${percent(points, games)} % of ${games} games`;
  return lineChart(line, label, ["first game", `game ${counted(games)}`]);
}

function thinkingChart(bot) {
  const used = bot.times.map((count, at) => ({ count, at })).filter(({ count }) => count);
  if (!used.length) return make("p", null, "It made no move of its own.");
  const [first, last] = [used[0].at, used[used.length - 1].at];
  const bars = bot.times.slice(first, last + 1).map((count, at) => ({ count, text: binText(first + at) }));
  const label = `Moves by thinking time: ${bars.map(({ count, text }) => `${text}: ${count}`).join(", ")}`;
  const longest = bot.longest_ms === null ? "" : `, longest ${milliseconds(bot.longest_ms)}`;
  const words = `${counted(bot.moves)} moves, mean ${milliseconds(bot.mean_ms ?? 0)}${longest}. Each bar counts the moves that took at least that long, and less than the next.`;
  return make("div", null, barChart(bars, label), make("p", { class: "small" }, words));
}

/** The lower end of a bar. */
function binText(at) {
  if (at === 0) return `<${DATA.edges[0]}`;
  const edge = DATA.edges[at - 1];
  return edge >= 1000 ? `${edge / 1000}k` : String(edge);
}

function faultsList(bot) {
  const faults = Object.entries(bot.faults);
  if (!faults.length) return make("p", null, "None.");
  const items = faults.map(([reason, count]) =>
    make("li", null, link(addressOf({ view: "games", bot: bot.name, reason, faults: 1 }), foreign(reason)), ` ${counted(count)}`)
  );
  return make("ul", null, items);
}
