// Requests to the server, and its stream of events.

/** The answer to a GET request as an object; an Error with the server's words if it is refused. */
async function getJson(path) {
  return answerOf(await fetch(path, { headers: { Accept: "application/json" } }));
}

/** The answer to a POST request; the token, if one was entered, is part of it. */
async function postJson(path, body) {
  const headers = { "Content-Type": "application/json" };
  const token = readToken();
  if (token) headers.Authorization = `Bearer ${token}`;
  return answerOf(await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function answerOf(response) {
  const value = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(value.error ?? `the server answers ${response.status}`);
  return value;
}

/** The organiser's token: from the address once (`#token=…`), then for this window. */
function readToken() {
  return sessionStorage.getItem("token") ?? "";
}

function keepToken(token) {
  sessionStorage.setItem("token", token.trim());
}

/** Events by kind, until the page is left. The browser reconnects by itself, without loss. */
function listen(path, handlers) {
  const source = new EventSource(path);
  for (const [kind, handle] of Object.entries(handlers)) {
    source.addEventListener(kind, (event) => handle(JSON.parse(event.data)));
  }
  source.addEventListener("open", () => showConnection(""));
  source.addEventListener("error", () => {
    showConnection("Connection lost, trying again");
    // After an answer that refuses the stream a browser does not try again.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen(path, handlers), 3000);
  });
  return source;
}

function showConnection(text) {
  const place = byId("connection");
  if (place.textContent !== text) place.textContent = text;
}

/** Words for those who hear the page; only the newest are spoken. */
function announce(text) {
  byId("announcer").textContent = text;
}

const CALM = window.matchMedia("(prefers-reduced-motion: reduce)");
