// The standings, with ratings drawn beside the points. All texts come from Python.

const MOST_DRAMATIC = 5;
const LEADING = ["rank", "bot", "points", "Elo", "score %", "faults"];
const TITLES = { rank: "Rank", bot: "Bot", Elo: "Elo, 95 % interval", "score %": "Score %", "seat 1 %": "Seat 1 %", "seat 2 %": "Seat 2 %" };

function showOverview(words) {
  const part = partOf(words.board);
  const choose = boardChoice(part, (board) => go({ view: "overview", board }));
  const hasTies = words.ties === "1";
  const fold = make(
    "button",
    { type: "button", class: "quiet", "aria-pressed": String(hasTies), onclick: () => foldTies(!hasTies) },
    hasTies ? "Hide tie-breaks" : "Show tie-breaks"
  );
  const table = sortableTable(`Standings: ${partTitle(part)}`, standingsColumns(part, hasTies), part.rows);
  byId("lead").replaceChildren(...roundsLead());
  byId("standings").replaceChildren(
    make("div", { class: "heading-row" }, make("h2", null, "Standings"), make("div", { class: "tools" }, DATA.tie_breaks.length ? fold : null, choose)),
    scrollable("Standings", table),
    ...tieWords(part),
    ...(Object.keys(part.ratings).length ? [ratingWords(part)] : []),
    ...dramaticGames(part)
  );
}

function foldTies(isShown) {
  go({ ...wordsNow(), view: "overview", ties: isShown ? "1" : "" }, { quietly: true });
  byId("standings").querySelector("button.quiet").focus();
}

/** Faults right after the score; tie-breaks last, and only if they are wanted. */
function standingsColumns(part, hasTies) {
  const scale = ratingScale(part.ratings);
  const isShown = (name) => hasTies || !DATA.tie_breaks.includes(name);
  const rest = part.columns.filter((name) => !LEADING.includes(name) && isShown(name));
  return [...LEADING, ...rest].map((name) => ({ ...standingsColumn(name, part, scale), title: TITLES[name] ?? sentence(name) }));
}

function standingsColumn(name, part, scale) {
  if (name === "bot") return { first: true, value: (row) => DATA.bots[row.bot].name, cell: (row) => botLink(row.bot) };
  if (name === "Elo") {
    return { className: "rating", number: true, value: (row) => part.ratings[row.bot]?.[0] ?? null, cell: (row) => ratingCell(part.ratings[row.bot], scale) };
  }
  if (name === "faults") {
    const sum = (text) => (text.match(/ [0-9]+(?=,|$)/g) ?? []).reduce((all, one) => all + Number(one), 0);
    return { number: true, className: "fault-column", value: (row) => (row.withdrawn ? null : sum(row.faults)), cell: (row) => faultsCell(row, part) };
  }
  const value = (row) => (row[name] === "-" ? null : Number(row[name]));
  return { number: true, ascending: name === "rank", className: name === "rank" ? "rank" : null, value, cell: (row) => row[name] };
}

function botLink(bot) {
  const { name } = DATA.bots[bot];
  return link(addressOf({ view: "bots", bot: name }), foreign(name));
}

function faultsCell(row, part) {
  if (row.withdrawn || row.faults === "-") return row.faults;
  return link(addressOf({ view: "games", bot: DATA.bots[row.bot].name, board: part.board, faults: 1 }), foreign(row.faults));
}

/** The games in which a win was given away most often, and of those the ones decided last. */
function dramaticGames(part) {
  const games = GAMES.filter((game) => errorsOf(game) >= 2 && (part.board === null || game.board.name === part.board));
  const last = (game) => game.analysis.errors[game.analysis.errors.length - 1];
  games.sort((a, b) => errorsOf(b) - errorsOf(a) || last(b) / b.plies - last(a) / a.plies || a.number - b.number);
  const items = games.slice(0, MOST_DRAMATIC).map((game) => {
    const address = addressOf({ game: game.id, ply: game.analysis.errors[0] - 1 });
    return make("li", null, link(address, foreign(game.bots[0]), " against ", foreign(game.bots[1])), " ", make("span", { class: "small" }, foreign(game.board.name), `: the win was given away ${errorsOf(game)} times, last at ply ${last(game)} of ${game.plies}`));
  });
  if (!items.length) return [];
  const words = `Proven: ${counted(DATA.analysed)} of ${counted(DATA.total)} games are analysed.`;
  return [make("section", { class: "dramatic" }, make("h3", null, "Most dramatic games"), make("ol", null, items), make("p", { class: "small" }, words))];
}

/** Which ranks a tie-break decided. */
function tieWords(part) {
  if (!part.ties.length) return [];
  return [make("p", { class: "after small" }, "Equal points, decided by a tie-break:"), make("ul", { class: "small ties" }, part.ties.map((tie) => make("li", null, foreign(tie))))];
}

/** Who is better than whom, how surely; which ratings to be careful with. */
function ratingWords(part) {
  const notes = Object.entries(part.ratings)
    .filter(([, rating]) => rating[6])
    .map(([bot, rating]) => `${DATA.bots[bot].name}: ${rating[6]}`);
  const lines = [...part.sentences, ...notes].map((text) => make("li", null, foreign(text)));
  return make("details", { class: "words" }, make("summary", null, "What these ratings say"), make("ul", null, lines));
}
