// Games of visitors: the form to start one, the scoreboard and the games that are being played.

const CLOCKS = [["", "No clock"], ["1min+1s", "1 min + 1 s per move"], ["5min+3s", "5 min + 3 s per move"]];

async function showPlay(content) {
  const offers = await getJson("/api/play");
  const parts = [playForm(offers), scoreboard(offers.scoreboard), runningGames(offers.running)];
  content.append(...parts.filter(Boolean));
}

function playForm(offers) {
  const wanted = new URLSearchParams(location.search);
  const nickname = make("input", { type: "text", required: true, maxlength: 32, pattern: "[A-Za-z0-9_\\-]+", autocomplete: "nickname", value: remembered("nickname") });
  const bots = make("select", null, offers.bots.map((bot) => make("option", { value: bot, selected: bot === wanted.get("bot") }, bot)));
  const games = make("select", null, offers.variants.map(({ name }) => make("option", { value: name, selected: name === wanted.get("variant") }, name)));
  const rows = make("input", { type: "number", min: 3, max: 16, required: true });
  const cols = make("input", { type: "number", min: 3, max: 16, required: true });
  const seat = make("select", null, make("option", { value: 1 }, "I move first"), make("option", { value: 2, selected: wanted.get("seat") === "2" }, "The bot moves first"));
  const clock = make("select", null, CLOCKS.map(([value, text]) => make("option", { value, selected: value === (wanted.get("clock") ?? "") }, text)));
  const token = make("input", { type: "password", required: true, value: readToken(), autocomplete: "off" });
  const trouble = make("p", { class: "warning", role: "alert", hidden: true });
  const sizeOf = () => offers.variants.find(({ name }) => name === games.value);
  const summary = make("p", { class: "small" });
  const resize = () => {
    [rows.value, cols.value] = [sizeOf().rows, sizeOf().cols];
    summary.textContent = sentence(sizeOf().summary);
  };
  games.addEventListener("change", resize);
  resize();
  if (wanted.has("rows")) [rows.value, cols.value] = [wanted.get("rows"), wanted.get("cols")];
  const start = async (event) => {
    event.preventDefault();
    if (!offers.nickname) remember("nickname", nickname.value);
    if (offers.needs_token) keepToken(token.value);
    const selection = { bot: bots.value, variant: games.value, rows: Number(rows.value), cols: Number(cols.value), seat: Number(seat.value), clock: clock.value || null, nickname: offers.nickname ?? nickname.value };
    try {
      await openTable(selection);
    } catch (error) {
      trouble.textContent = sentence(error.message);
      trouble.hidden = false;
    }
  };
  return make(
    "form",
    { class: "play-form", onsubmit: start },
    offers.nickname ? null : labelled("Your nickname", nickname),
    labelled("Opponent", bots),
    make("div", null, labelled("Game", games), summary),
    make("div", { class: "field-pair" }, labelled("Rows", rows), labelled("Columns", cols)),
    labelled("Seat", seat),
    labelled("Your clock", clock),
    offers.needs_token ? labelled("Token of the organiser", token) : null,
    trouble,
    make("button", { type: "submit", class: "primary" }, "Play")
  );
}

/** Start a game and go to its page; the key of the game stays in this window. */
async function openTable(selection) {
  const { id, key } = await postJson("/api/tables", selection);
  keepKey(id, key);
  location.assign(`/tables/${encodeURIComponent(id)}`);
}

function scoreboard(rows) {
  if (!rows.length) return null;
  const head = make("tr", null, ["Name", "Points", "Games", "Score %"].map((text, at) => make("th", { scope: "col", class: at ? "number" : null }, text)));
  const body = rows.map((row) => make("tr", null, make("th", { scope: "row" }, foreign(row.name)), ...[row.points, row.games, row.score].map((value) => make("td", { class: "number" }, String(value)))));
  const table = make("table", null, make("caption", { class: "visually-hidden" }, "People"), make("thead", null, head), make("tbody", null, body));
  return make("section", null, make("h2", null, "People"), scrollable("People", table));
}

function runningGames(games) {
  if (!games.length) return null;
  const items = games.map((game) => make("li", null, link(`/tables/${encodeURIComponent(game.id)}`, foreign(game.bots.join(" – ")))));
  return make("section", null, make("h2", null, "Games being played"), make("ul", null, items));
}

/** The key of a game: who has it plays. */
function keepKey(id, key) {
  sessionStorage.setItem(`table:${id}`, key);
}

function remembered(key) {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The browser keeps nothing for this page.
  }
}
