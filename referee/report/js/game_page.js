// The replay of one game as a view of the report; all of its state is in the address.

/** What is on the screen: the game, its replay, and the words of the address. */
let open = null;

function showReplay(words) {
  const game = GAMES_BY_ID.get(words.game);
  const content = byId("replay").querySelector(".content");
  if (!game) {
    closeReplay();
    byId("replay-title").textContent = "Replay";
    const text = "This game is not in this page. It may be in the games file all the same: ";
    content.replaceChildren(make("p", null, text, make("code", null, "referee report DIR --games ID"), " puts it in."));
    return;
  }
  const state = stateOf(game, words);
  if (open?.game !== game) openGame(game, content, words, state);
  else open.replay.show(state);
  open.words = words;
}

function stateOf(game, { ply, play, speed, loop }) {
  return {
    ply: Math.min(game.plies, Math.max(0, Number.parseInt(ply, 10) || 0)),
    playing: play === "1",
    speed: SPEEDS.includes(Number(speed)) ? Number(speed) : 1,
    loop: loop === "1",
  };
}

function closeReplay() {
  open?.replay.close();
  clearTimeout(open?.remembering);
  open = null;
}

function openGame(game, content, words, state) {
  closeReplay();
  const [one, two] = game.bots;
  byId("replay-title").replaceChildren(foreign(one), " against ", foreign(two));
  const box = make("div");
  content.replaceChildren(gameHead(game, words), box);
  const onchange = (now) => rememberState(now);
  const linkOf = (seat) => botLink(DATA.bots.findIndex((bot) => bot.name === game.bots[seat]));
  const onlink = () => location.href.split("#")[0] + addressOf({ game: game.id, ply: open.replay.state.ply });
  open = { game, words };
  const opened = openedGame(game);
  open.replay = mountReplay(box, opened, { ...state, onchange, linkOf, onlink, strips: [numberStrip], ...analysisOptions(opened) });
}

/** The address follows, but not faster than browsers like. */
function rememberState({ ply, playing, speed, loop }) {
  if (!open) return;
  clearTimeout(open.remembering);
  const { game, words } = open;
  const now = { game: game.id, ply, play: playing ? 1 : "", speed: speed === 1 ? "" : speed, loop: loop ? 1 : "", list: words.list };
  open.remembering = setTimeout(() => history.replaceState(null, "", addressOf(now)), 150);
}

function gameHead(game, words) {
  const when = game.started === null ? null : new Date(game.started * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC";
  return make(
    "div",
    { class: "game-head" },
    make(
      "div",
      null,
      make("p", { class: "lead" }, ...endingOf(game), `, after ${plural(game.plies, "ply", "plies")}`),
      make("p", { class: "small" }, foreign(game.id), when ? ` · ${when}` : "", rulesLink(game.board.variant)),
      game.busy ? make("p", { class: "note" }, "The machine was busy during this game: do not trust its clocks.") : null
    ),
    gameLinks(game, words)
  );
}

function rulesLink(variant) {
  if (!Object.hasOwn(DATA.rules, variant)) return null;
  return make("span", null, " · ", link(addressOf({ view: "rules", variant }), `Rules of ${variant}`));
}

/** To the list and to other games: those of the list that the reader came from. */
function gameLinks(game, words) {
  const list = Object.fromEntries(new URLSearchParams(words.list ?? ""));
  const rows = listedGames(list);
  const at = rows.indexOf(game);
  const twin = GAMES_BY_ID.get(twinId(game));
  const to = (other, text) => {
    if (!other) return make("span", { class: "page", "aria-disabled": "true" }, text);
    return make("a", { class: "page", href: addressOf({ game: other.id, ply: other === twin ? game.opening : other.plies, list: words.list }) }, text);
  };
  return make(
    "nav",
    { class: "game-links", "aria-label": "Other games" },
    make("a", { class: "page", href: addressOf({ ...list, view: "games" }) }, "Back to the list"),
    to(at > 0 ? rows[at - 1] : null, "Previous"),
    to(at >= 0 ? rows[at + 1] : null, "Next"),
    to(twin, "Seats swapped")
  );
}

/** The other game of the encounter: the same opening, the seats swapped. */
function twinId(game) {
  const tail = game.id.slice(game.id.lastIndexOf(".") + 1);
  const other = tail.slice(0, -1) + (tail.endsWith("a") ? "b" : "a");
  return [game.board.name, game.bots[1], game.bots[0], other].join(".");
}

function replayKey(event) {
  open?.replay.key(event);
}
