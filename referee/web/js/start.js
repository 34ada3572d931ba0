// Which page this is.

const lastPart = () => decodeURIComponent(location.pathname.split("/")[2] ?? "");
const VIEWS = {
  __proto__: null,
  index: showIndex,
  tournament: (content) => new TournamentPage(lastPart(), content),
  play: showPlay,
  table: (content) => new TablePage(lastPart(), content),
};

// What the address brings along is kept for this window, and is not shown any longer.
const brought = new URLSearchParams(location.hash.slice(1));
if (brought.has("token")) keepToken(brought.get("token"));
if (brought.has("key")) keepKey(lastPart(), brought.get("key"));
if (brought.has("token") || brought.has("key")) history.replaceState(null, "", location.pathname + location.search);
Promise.resolve(VIEWS[document.body.dataset.view](byId("content"))).catch((error) => showConnection(sentence(error.message)));
