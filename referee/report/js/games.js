// The list of games: filtered and sorted by the address, so that every list is a link.

const GAMES_PER_PAGE = 50;

const GAME_COLUMNS = [
  { key: "number", title: "No.", number: true, ascending: true, value: (game) => game.number, cell: (game) => counted(game.number + 1) },
  { key: "first", title: "Seat 1", value: (game) => game.bots[0], cell: (game) => playerCell(game, 0) },
  { key: "result", title: "Result", value: (game) => game.score[0] - game.score[1], cell: (game) => gameLink(game, resultOf(game)) },
  { key: "second", title: "Seat 2", value: (game) => game.bots[1], cell: (game) => playerCell(game, 1) },
  { key: "board", title: "Board", value: (game) => game.board.name, cell: (game) => foreign(game.board.name) },
  { key: "reason", title: "Reason", value: (game) => game.reason, cell: reasonCell },
  { key: "plies", title: "Plies", number: true, value: (game) => game.plies, cell: (game) => counted(game.plies) },
];

for (const column of GAME_COLUMNS) column.className = `column-${column.key}`;

function gameLink(game, text) {
  return make("a", { href: gameAddress(game), "aria-label": `${text}: replay ${game.id}` }, text);
}

/** A game's address has the list that leads to it, for the way to its neighbours and back. */
function gameAddress(game) {
  const { view, ...list } = wordsNow();
  return addressOf({ game: game.id, ply: game.plies, list: view === "games" ? addressOf(list).slice(1) : "" });
}

function playerCell(game, seat) {
  const won = game.score[seat] > game.score[1 - seat];
  return make("span", { class: won ? "winner" : null }, foreign(game.bots[seat]));
}

function reasonCell(game) {
  return game.faults.length ? make("span", { class: "fault" }, foreign(game.reason)) : foreign(game.reason);
}

function showGames(words) {
  const column = sortColumn(words);
  const rows = listedGames(words);
  const pages = Math.max(1, Math.ceil(rows.length / GAMES_PER_PAGE));
  const page = Math.min(pages, Math.max(1, Number.parseInt(words.page, 10) || 1));
  const content = byId("games").querySelector(".content");
  const list = [
    make("p", { class: "count", role: "status" }, `${counted(rows.length)} ${rows.length === 1 ? "game" : "games"}`),
    rows.length ? scrollable("Games", gamesTable(rows.slice((page - 1) * GAMES_PER_PAGE, page * GAMES_PER_PAGE), words, column)) : make("p", null, "No game is like that."),
    pager(words, page, pages),
    missingGames(),
  ].filter(Boolean);
  // Keep the fields, so that the one in use keeps its focus.
  const filters = content.querySelector(".filter-fold") ?? foldedFilters(words);
  showFilters(filters, words);
  content.replaceChildren(filters, ...list);
}

function sortColumn(words) {
  return GAME_COLUMNS.find((one) => one.key === words.sort) ?? GAME_COLUMNS[0];
}

/** The games that an address asks for, in its order. */
function listedGames(words) {
  const found = GAMES.filter((game) => isWanted(game, words));
  return words.sort || words.down ? sortRows(found, sortColumn(words).value, words.down === "1") : found;
}

function isWanted(game, words) {
  const at = words.bot ? game.bots.indexOf(words.bot) : 0;
  if (at < 0) return false;
  if (words.opponent && (words.bot ? game.bots[1 - at] !== words.opponent : !game.bots.includes(words.opponent))) return false;
  if (words.board && game.board.name !== words.board) return false;
  if (words.encounters && !isBetween(game.encounter, words.encounters)) return false;
  if (words.reason && game.reason !== words.reason) return false;
  if (words.tag && !game.tags.includes(words.tag)) return false;
  if (words.faults && !isFaultOf(game, words.bot)) return false;
  if (words.lost && !isLostWin(game, words.bot)) return false;
  if (words.least && game.plies < Number(words.least)) return false;
  return !(words.most && game.plies > Number(words.most));
}

/** Whether a number is in a range like `3-5`. */
function isBetween(number, range) {
  const [low, high = low] = range.split("-").map(Number);
  return number >= low && number <= high;
}

/** Whether there was a fault; of that bot, if one is named. */
function isFaultOf(game, bot) {
  return game.faults.some(([seat]) => !bot || game.bots[seat - 1] === bot);
}

function gameFilters(words) {
  const names = DATA.bots.map((bot) => bot.name);
  const boards = DATA.boards.map((board) => board.name);
  const options = (texts, all) => [["", all], ...texts.map((text) => [text, text])];
  const fields = [
    ["bot", "Bot", options(names, "any")],
    ["opponent", "Opponent", options(names, "any")],
    ["board", "Variant", options(boards, "all")],
    ["reason", "Reason", options([...DATA.reasons].sort(), "any")],
    ...(DATA.tags.length ? [["tag", "Tag", options([...DATA.tags].sort(), "any")]] : []),
  ].map(([key, label, texts]) => {
    const field = choice(label, texts, words[key] ?? "", (value) => narrow(key, value));
    field.querySelector("select").name = key;
    return field;
  });
  const form = make("form", { class: "filters", "aria-label": "Filter the games", onsubmit: (event) => event.preventDefault() }, fields);
  for (const [key, label] of [["least", "At least plies"], ["most", "At most plies"]]) {
    const input = make("input", { type: "number", name: key, min: 0, inputmode: "numeric", oninput: () => narrow(key, input.value) });
    form.append(labelled(label, input));
  }
  form.append(checkFilter("faults", "Faults only"), ...(DATA.analysed ? [checkFilter("lost", "Lost a won game")] : []), phoneSort());
  form.append(make("button", { type: "button", class: "quiet", onclick: () => go({ view: "games" }) }, "Show all"));
  return form;
}

function checkFilter(key, label) {
  const box = make("input", { type: "checkbox", name: key, onchange: () => narrow(key, box.checked ? "1" : "") });
  return make("label", { class: "check" }, box, label);
}

/** Where the list has no headings to sort by. */
function phoneSort() {
  const columns = GAME_COLUMNS.flatMap(({ key, title }) => [[key, title], [`${key} down`, `${title}, downwards`]]);
  const field = choice("Sort by", columns, "number", (value) => {
    const [sort, down] = value.split(" ");
    go({ ...wordsNow(), sort, down: down ? "1" : "", page: "" }, { quietly: true });
  });
  field.classList.add("phone-only");
  return field;
}

/** The filters, folded where the screen is small. */
function foldedFilters(words) {
  const small = window.matchMedia("(max-width: 40rem)");
  const fold = make("details", { class: "filter-fold", open: !small.matches }, make("summary", null, "Filter and sort"), gameFilters(words));
  small.addEventListener("change", () => (fold.open = !small.matches));
  return fold;
}

function showFilters(form, words) {
  const active = ["bot", "opponent", "board", "reason", "tag", "least", "most", "faults", "lost", "encounters"].filter((key) => words[key]).length;
  form.querySelector("summary").textContent = active ? `Filter and sort (${plural(active, "filter", "filters")})` : "Filter and sort";
  for (const field of form.querySelectorAll("[name]")) {
    const value = words[field.name] ?? "";
    if (field.type === "checkbox") field.checked = value === "1";
    else if (field.value !== value) field.value = value;
  }
}

function narrow(key, value) {
  go({ ...wordsNow(), [key]: value, page: "" }, { quietly: true });
}

function gamesTable(rows, words, sorted) {
  const head = GAME_COLUMNS.map((column) => {
    const isSorted = column === sorted && (words.sort || words.down);
    const down = isSorted ? words.down !== "1" : Boolean(column.number && !column.ascending);
    const state = isSorted ? (words.down === "1" ? "descending" : "ascending") : null;
    const sort = () => {
      go({ ...wordsNow(), sort: column.key, down: down ? "1" : "", page: "" }, { quietly: true });
      byId("games").querySelector(`button[data-sort="${column.key}"]`)?.focus();
    };
    const button = make("button", { type: "button", class: "sort", "data-sort": column.key, onclick: sort }, column.title);
    return make("th", { scope: "col", class: classOf(column), "aria-sort": state }, button);
  });
  const body = rows.map((game) => {
    const row = tableRow(GAME_COLUMNS, game);
    row.classList.add("leads");
    row.dataset.game = game.id;
    // The link in the row is for the keyboard; a click may fall anywhere.
    row.addEventListener("click", () => (location.hash = gameAddress(game)));
    return row;
  });
  return make("table", { class: "games" }, make("caption", { class: "visually-hidden" }, "Games"), make("thead", null, make("tr", null, head)), make("tbody", null, body));
}

function pager(words, page, pages) {
  if (pages === 1) return null;
  const turn = (to, text) =>
    to < 1 || to > pages || to === page
      ? make("span", { class: "page", "aria-disabled": "true" }, text)
      : make("a", { class: "page", href: addressOf({ ...words, page: to }) }, text);
  return make(
    "nav",
    { class: "pager", "aria-label": "Pages of games" },
    turn(page === 1 ? 0 : 1, "First"),
    turn(page - 1, "Previous"),
    make("span", null, `Page ${counted(page)} of ${counted(pages)}`),
    turn(page + 1, "Next"),
    turn(page === pages ? pages + 1 : pages, "Last")
  );
}
