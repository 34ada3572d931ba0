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
      make("div", null, panel("Results by board and seat", resultsTable(bot)), panel("Faults", faultsList(bot)), errorsPanel(bot)),
      make("div", null, panel("Score over the course of the tournament", courseChart(bot)), panel("Thinking time per move, in milliseconds", thinkingChart(bot)), numbersPanel(bot))
    ),
    make("p", null, link(addressOf({ view: "games", bot: bot.name }), "All games of ", foreign(bot.name)))
  );
}

function panel(title, content) {
  return make("section", { class: "panel" }, make("h3", null, title), content);
}

function botTiles(bot, number) {
  const rating = DATA.parts[0].ratings[number];
  const tiles = [...bot.tiles];
  if (rating) tiles.splice(3, 0, ["Elo", rating[3]]);
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
  const [, , share, percent, counts] = result;
  return make("td", { class: `heat heat-${Math.round(10 * share)}` }, make("b", null, percent), make("span", null, counts));
}

function courseChart(bot) {
  if (!bot.course.length) return make("p", null, "No games yet.");
  const [games] = bot.course[bot.course.length - 1];
  const line = bot.course.map(([at, sum]) => [at / games, sum / at]);
  const label = `Score after each game so far, ${plural(games, "game", "games")}`;
  return lineChart(line, label, ["first game", `game ${counted(games)}`]);
}

function thinkingChart(bot) {
  const used = bot.times.map((count, at) => ({ count, at })).filter(({ count }) => count);
  if (!used.length) return make("p", null, "It made no move of its own.");
  const [first, last] = [used[0].at, used[used.length - 1].at];
  const bars = bot.times.slice(first, last + 1).map((count, at) => ({ count, text: binText(first + at) }));
  const label = `Moves by thinking time: ${bars.map(({ count, text }) => `${text}: ${count}`).join(", ")}`;
  const words = `${counted(bot.moves)} moves, mean ${bot.mean}, longest ${bot.longest}. Each bar counts the moves that took at least that long, and less than the next.`;
  return make("div", null, barChart(bars, label), make("p", { class: "small" }, words));
}

/** A number that the bot sent with its moves, over its games. */
function numbersPanel(bot) {
  const keys = Object.keys(bot.numbers);
  if (!keys.length) return null;
  const box = make("div");
  const show = (key) => box.replaceChildren(numberChart(key, bot.numbers[key]));
  show(keys[0]);
  const field = keys.length > 1 ? choice("Number", keys.map((key) => [key, key]), keys[0], show) : null;
  return panel("Numbers of this bot, mean per game", make("div", null, field, box));
}

function numberChart(key, points) {
  const values = points.map(([, value]) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const games = points[points.length - 1][0];
  const line = points.map(([at, value]) => [at / games, high === low ? 0.5 : (value - low) / (high - low)]);
  const label = `${key}, mean per game, from ${figure(low)} to ${figure(high)} in ${plural(games, "game", "games")}`;
  const ticks = high === low ? ["", figure(low), ""] : [figure(low), figure((low + high) / 2), figure(high)];
  return make("figure", null, lineChart(line, label, ["first game", `game ${counted(games)}`], ticks), make("figcaption", { class: "small" }, label));
}

/** The lower end of a bar. */
function binText(at) {
  if (at === 0) return `<${DATA.edges[0]}`;
  const edge = DATA.edges[at - 1];
  return edge >= 1000 ? `${edge / 1000}k` : String(edge);
}

/** Moves that gave a win away, over all analysed games. */
function errorsPanel(bot) {
  const { errors } = bot;
  if (!errors) return null;
  const percent = errors.kept === null ? "–" : `${(100 * errors.kept).toFixed(1)} %`;
  const facts = [
    ["Decisions", counted(errors.decisions)],
    ["Errors", counted(errors.errors)],
    ["Wins kept", percent],
    ["First error, median ply", errors.median_first_error === null ? "–" : figure(errors.median_first_error)],
    ["Unpunished", counted(errors.unpunished)],
  ];
  const list = make("dl", { class: "error-facts" }, facts.map(([title, text]) => make("div", null, make("dt", null, title), make("dd", null, text))));
  const words = `Proven, in ${plural(errors.games, "game", "games")}: a decision is a move in a won position in which some moves give the win away; an error is one that does.`;
  const lost = GAMES.filter((game) => isLostWin(game, bot.name)).length;
  const address = addressOf({ view: "games", bot: bot.name, lost: 1 });
  return panel("Errors", make("div", null, list, make("p", { class: "small" }, words), lost ? make("p", null, link(address, plural(lost, "won game that it lost", "won games that it lost"))) : null));
}

function faultsList(bot) {
  const faults = Object.entries(bot.faults);
  if (!faults.length) return make("p", null, "None.");
  const items = faults.map(([reason, count]) =>
    make("li", null, link(addressOf({ view: "games", bot: bot.name, reason, faults: 1 }), foreign(reason)), ` ${counted(count)}`)
  );
  return make("ul", null, items);
}
