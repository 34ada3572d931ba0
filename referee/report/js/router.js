// The URL fragment selects what is shown: `#view=games&bot=alpha`, `#game=ID&ply=12`.

const VIEWS = { overview: showOverview, rounds: showRounds, crosstable: showCrosstable, ratings: showRatings, games: showGames, bots: showBots, rules: showRules, replay: showReplay };
const TITLE = document.title;
let shownView = null;

function wordsNow() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** Show something else; quietly: without a step in the browser's history, as while typing. */
function go(words, { quietly = false } = {}) {
  const address = addressOf(words);
  if (quietly) {
    history.replaceState(null, "", address);
    showAddress();
  } else {
    location.hash = address;
  }
}

function showAddress() {
  if (location.hash === "#main" && shownView) return; // the link that skips to the content
  const words = wordsNow();
  const view = words.game !== undefined ? "replay" : Object.hasOwn(VIEWS, words.view) ? words.view : "overview";
  if (view !== "replay") closeReplay();
  for (const name of Object.keys(VIEWS)) byId(name).hidden = name !== view;
  VIEWS[view](words);
  markView(view === "replay" ? "games" : view);
  const heading = byId(`${view}-title`).textContent;
  document.title = view === "overview" ? TITLE : `${heading} · ${TITLE}`;
  if (shownView !== null && shownView !== view) {
    window.scrollTo(0, 0);
    byId(`${view}-title`).focus({ preventScroll: true }); // so that a screen reader announces it
  }
  shownView = view;
}

function markView(view) {
  for (const one of document.querySelectorAll("nav[aria-label=Views] a")) {
    if (one.hash === `#view=${view}`) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  }
}

window.addEventListener("hashchange", showAddress);
document.addEventListener("keydown", replayKey);
showAddress();
