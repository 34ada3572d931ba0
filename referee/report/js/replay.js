// One game, ply by ply.

const PLAY_MS = 800;
const ICONS = {
  first: "M5 5h3v14H5zM20 5v14L9 12z",
  back: "M15 4l2 2-6 6 6 6-2 2-8-8z",
  play: "M7 5v14l12-7z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  next: "M9 4L7 6l6 6-6 6 2 2 8-8z",
  last: "M4 5v14l11-7zM16 5h3v14h-3z",
};
const RULED = new Set(["no-moves", "goal", "shut-out", "repetition", "move-limit"]);

/** What is on the screen: the game, its positions, the ply, and the parts that change with it. */
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
  const ply = Math.min(game.plies, Math.max(0, Number.parseInt(words.ply, 10) || 0));
  if (open?.game !== game) openGame(game, content);
  showPly(ply);
}

function closeReplay() {
  stopPlaying();
  open = null;
}

function openGame(game, content) {
  closeReplay();
  const moves = movesOf(game);
  const times = timesOf(game);
  open = { game, moves, times, positions: positionsFor(game, moves), clocks: clocksOf(game, times), ply: 0, timer: null };
  open.parts = replayParts();
  const { parts } = open;
  const [one, two] = game.bots;
  byId("replay-title").replaceChildren(foreign(one), " against ", foreign(two));
  const board = make("div", { class: "board-side" }, parts.board, parts.controls, parts.status, parts.note);
  const side = make("div", { class: "moves-side" }, parts.players, chartFigure(parts.chart), movesTable(), infoLeftOut(game));
  content.replaceChildren(...[gameHead(game), make("div", { class: "replay" }, board, side), dossierOf(game)].filter(Boolean));
}

/** The positions to draw: by the rules of the five games, or as the referee wrote them down. */
function positionsFor(game, moves) {
  const { board } = game;
  const isSane = board.rows >= 1 && board.rows <= 16 && board.cols >= 1 && board.cols <= 16;
  if (board.variant in GAME_RULES && isSane) return positionsOf(board, moves);
  let text = "";
  return (game.boards ?? []).map(([head, end, middle]) => {
    text = text.slice(0, head) + middle + text.slice(text.length - end);
    return { text };
  });
}

function gameHead(game) {
  const winner = game.score[0] === game.score[1] ? null : game.bots[game.score[0] > game.score[1] ? 0 : 1];
  const ending = winner === null ? [sentence(resultOf(game))] : [foreign(winner), " wins"];
  const when = game.started === null ? null : new Date(game.started * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC";
  return make(
    "div",
    { class: "game-head" },
    make("p", { class: "lead" }, ...ending, ": ", foreign(game.reason), `, after ${game.plies} ${game.plies === 1 ? "ply" : "plies"}`),
    make("p", { class: "small" }, foreign(game.id), when ? ` · ${when}` : ""),
    game.busy ? make("p", { class: "note" }, "The machine was busy during this game: do not trust its clocks.") : null
  );
}

function replayParts() {
  const button = (name, label, act) => make("button", { type: "button", "data-act": name, "aria-label": label, title: label, onclick: act }, icon(name));
  const slider = make("input", {
    type: "range",
    min: 0,
    max: open.game.plies,
    step: 1,
    "aria-label": "Ply",
    oninput: () => choosePly(Number(slider.value)),
  });
  const play = button("play", "Play", togglePlaying);
  return {
    slider,
    play,
    board: make("div", { class: "board-frame" }),
    players: make("div", { class: "players" }),
    chart: make("div", { class: "chart-frame" }),
    status: make("p", { class: "status", role: "status" }),
    note: make("p", { class: "note", hidden: true }),
    controls: make(
      "div",
      { class: "controls", role: "group", "aria-label": "Step through the game" },
      button("first", "First position", () => choosePly(0)),
      button("back", "One ply back", () => choosePly(open.ply - 1)),
      play,
      button("next", "One ply on", () => choosePly(open.ply + 1)),
      button("last", "Last position", () => choosePly(open.game.plies)),
      slider
    ),
  };
}

function icon(name) {
  return draw("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, draw("path", { d: ICONS[name] }));
}

/** A person chose a ply: playing stops there. */
function choosePly(ply) {
  stopPlaying();
  goToPly(ply);
}

function goToPly(ply) {
  showPly(Math.min(open.game.plies, Math.max(0, ply)));
  rememberPly();
}

/** The address follows, but not faster than browsers like. */
function rememberPly() {
  clearTimeout(open.remembering);
  const { game } = open;
  open.remembering = setTimeout(() => {
    if (open?.game === game) history.replaceState(null, "", addressOf({ game: game.id, ply: open.ply }));
  }, 150);
}

function togglePlaying() {
  if (open.timer) {
    stopPlaying();
    return;
  }
  if (open.ply === open.game.plies) goToPly(0);
  open.timer = setInterval(() => {
    goToPly(open.ply + 1);
    if (open.ply === open.game.plies) stopPlaying();
  }, PLAY_MS);
  showPlaying();
}

function stopPlaying() {
  if (!open?.timer) return;
  clearInterval(open.timer);
  open.timer = null;
  showPlaying();
}

function showPlaying() {
  const { play } = open.parts;
  const label = open.timer ? "Pause" : "Play";
  play.replaceChildren(icon(open.timer ? "pause" : "play"));
  play.setAttribute("aria-label", label);
  play.title = label;
}

function showPly(ply) {
  open.ply = ply;
  const { game, parts, moves, times } = open;
  parts.slider.value = ply;
  parts.slider.setAttribute("aria-valuetext", ply ? `ply ${ply} of ${game.plies}: ${moves[ply - 1]}` : "before the first move");
  for (const [name, isOff] of [["first", !ply], ["back", !ply], ["next", ply === game.plies], ["last", ply === game.plies]]) {
    parts.controls.querySelector(`[data-act="${name}"]`).disabled = isOff;
  }
  parts.board.replaceChildren(boardAt(ply));
  parts.players.replaceChildren(player(0), player(1));
  parts.chart.replaceChildren(timeChart(times, ply, choosePly));
  parts.status.replaceChildren(...statusOf(ply));
  const isUnknown = ply >= open.positions.length;
  parts.note.hidden = !isUnknown;
  parts.note.textContent = isUnknown ? "The board of this ply is not known here." : "";
  markMove(ply);
}

function statusOf(ply) {
  const { game, moves, times } = open;
  const place = make("b", null, `Ply ${ply} of ${game.plies}`);
  if (!ply) return [place, ", before the first move"];
  const ms = times[ply - 1];
  const time = ms === null || ms === undefined ? (ply <= game.opening ? " (opening)" : "") : ` (${milliseconds(ms)})`;
  const parts = [place, ": ", foreign(game.bots[(ply - 1) % 2]), " plays ", make("code", null, moves[ply - 1]), time];
  if (ply === game.plies) parts.push(`; ${resultOf(game)}, `, foreign(game.reason));
  return parts;
}

function boardAt(ply) {
  const { game, positions } = open;
  const position = positions[Math.min(ply, positions.length - 1)];
  if (!position) return make("p", { class: "no-board" }, "The rules of this game are not known here, so there is no board.");
  return position.text === undefined ? ownBoard(position) : foreignBoard(game, position.text, ply);
}

function ownBoard(position) {
  const { game, moves, positions } = open;
  const { variant, rows, cols } = game.board;
  const { origin, marks } = GAME_RULES[variant];
  const grid = { rows, cols, origin };
  const { ply } = position;
  const isOver = ply === game.plies && RULED.has(game.reason);
  const legal = { steps: new Set(), blocks: new Set() };
  for (const move of isOver ? [] : position.legal) {
    const { to, block } = readMove(move, grid);
    if (to !== null) legal.steps.add(to);
    else legal.blocks.add(block);
  }
  const last = ply ? { from: null, ...readMove(moves[ply - 1], grid) } : null;
  if (last && position.pieces && last.to !== null) last.from = positions[ply - 1].pieces[(ply - 1) % 2];
  const label = `Board after ply ${ply}, rows from the top: ${boardText(position, cols).replaceAll("/", ", ")}`;
  return drawBoard({ variant, grid, cells: position.cells, marks, mover: 1 + (ply % 2), legal, last, label });
}

/** A board of a game from outside: its text in a grid, if it is one. */
function foreignBoard(game, text, ply) {
  const rows = text.split("/").map((row) => [...row]);
  const cols = rows[0].length;
  if (cols < 1 || rows.some((row) => row.length !== cols)) return make("pre", { class: "text-board" }, text);
  const grid = { rows: rows.length, cols, origin: game.board.origin };
  const legal = { steps: new Set(), blocks: new Set() };
  const last = ply ? { from: null, ...readMove(open.moves[ply - 1], grid) } : null;
  const label = `Board after ply ${ply}, rows from the top: ${text.replaceAll("/", ", ")}`;
  return drawBoard({ variant: game.board.variant, grid, cells: rows.flat(), marks: game.board.marks, mover: 1 + (ply % 2), legal, last, label });
}

/** For every ply what each clock shows: time left, or thought in all where none runs down. */
function clocksOf(game, times) {
  const left = game.clocks.map(([, main]) => main);
  const spent = [0, 0];
  const states = [{ left: [...left], spent: [...spent] }];
  times.forEach((ms, at) => {
    const seat = at % 2;
    const [, main, increment] = game.clocks[seat];
    if (ms !== null) {
      spent[seat] += ms;
      if (main !== null) left[seat] = Math.max(0, left[seat] - ms) + increment;
    }
    states.push({ left: [...left], spent: [...spent] });
  });
  return states;
}

function player(seat) {
  const { game, clocks, ply } = open;
  const { left, spent } = clocks[ply];
  const [text, main] = game.clocks[seat];
  const isOnTurn = ply < game.plies && ply % 2 === seat;
  const marks = GAME_RULES[game.board.variant]?.marks ?? game.board.marks;
  const clock = main === null ? `${milliseconds(spent[seat])} thought` : `${milliseconds(left[seat])} left`;
  return make(
    "div",
    { class: `player seat-${seat + 1}` + (isOnTurn ? " on-turn" : "") },
    make("span", { class: "token", "aria-hidden": "true" }, marks[seat]),
    make("span", { class: "who" }, botLink(DATA.bots.findIndex((bot) => bot.name === game.bots[seat])), make("span", { class: "small" }, `seat ${seat + 1}${isOnTurn ? ", to move" : ""}`)),
    make("span", { class: "clock" }, clock, make("span", { class: "small" }, foreign(text || "no clock")))
  );
}

function chartFigure(chart) {
  const longest = Math.max(0, ...open.times.filter((ms) => ms !== null));
  const text = longest ? `Thinking time per ply, longest ${milliseconds(longest)}` : "Thinking time per ply: none";
  return make("figure", null, chart, make("figcaption", { class: "small" }, text));
}

function movesTable() {
  const { game, moves, times } = open;
  const said = new Map();
  for (const [ply, seat, text] of game.info) said.set(ply, [...(said.get(ply) ?? []), { seat, text }]);
  const rows = [infoRow(said.get(0))];
  moves.forEach((move, at) => {
    rows.push(moveRow(at, move, times[at]), infoRow(said.get(at + 1)));
  });
  for (const [ply, lines] of said) if (ply > moves.length) rows.push(infoRow(lines));
  const head = make("tr", null, ["Ply", "Bot", "Move", "Time"].map((title) => make("th", { scope: "col", class: title === "Time" || title === "Ply" ? "number" : null }, title)));
  const table = make("table", { class: "moves" }, make("caption", { class: "visually-hidden" }, "Moves, and what the bots said"), make("thead", null, head), make("tbody", null, rows.filter(Boolean)));
  const box = scrollable("Moves", table);
  box.classList.add("moves-box");
  return box;
}

function moveRow(at, move, ms) {
  const { game } = open;
  const button = make("button", { type: "button", class: "move", onclick: () => choosePly(at + 1) }, move);
  const time = ms === null || ms === undefined ? (at < game.opening ? "opening" : "–") : milliseconds(ms);
  return make(
    "tr",
    { "data-ply": at + 1, class: `seat-${(at % 2) + 1}` },
    make("td", { class: "number" }, String(at + 1)),
    make("td", null, foreign(game.bots[at % 2])),
    make("td", null, button),
    make("td", { class: "number" }, time)
  );
}

/** What bots said while they were asked for a ply. */
function infoRow(lines) {
  if (!lines) return null;
  const texts = lines.map(({ seat, text }) => make("li", null, make("span", { class: "small" }, foreign(open.game.bots[seat - 1] ?? "?"), ": "), foreign(text)));
  return make("tr", { class: "info" }, make("td", { colspan: 4 }, make("ul", { "aria-label": "info" }, texts)));
}

function infoLeftOut(game) {
  if (!game.infoLeftOut) return null;
  return make("p", { class: "small" }, `${counted(game.infoLeftOut)} more info lines are in games.jsonl alone.`);
}

function markMove(ply) {
  const box = byId("replay").querySelector(".moves-box");
  box.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const row = box.querySelector(`tr[data-ply="${ply}"]`);
  if (!row) {
    box.scrollTop = 0;
    return;
  }
  row.setAttribute("aria-current", "true");
  // Only the list scrolls, never the page.
  const head = box.querySelector("thead").offsetHeight;
  if (row.offsetTop - head < box.scrollTop) box.scrollTop = row.offsetTop - head;
  const end = row.offsetTop + row.offsetHeight;
  if (end > box.scrollTop + box.clientHeight) box.scrollTop = end - box.clientHeight;
}

/** What went wrong, for the author of the bot. */
function dossierOf(game) {
  if (!game.faults.length) return null;
  const lines = game.faults.map(([seat, reason, detail]) =>
    make("li", null, foreign(game.bots[seat - 1] ?? "?"), ` (seat ${seat}) `, make("span", { class: "fault" }, foreign(reason)), ": ", foreign(detail))
  );
  const text = game.dossier
    ? make("pre", { class: "dossier", tabindex: 0, role: "region", "aria-label": "Dossier" }, foreign(game.dossier))
    : make("p", { class: "small" }, "Its dossier is not in this page: the folder may have it, below faults/.");
  return make("section", { class: "faults", "aria-label": "Faults" }, make("h2", null, "Faults"), make("ul", null, lines), text);
}

/** Keys of the whole page while a game is open; fields keep their own. */
function replayKey(event) {
  if (!open || event.altKey || event.ctrlKey || event.metaKey) return;
  const { tagName } = event.target;
  if (tagName === "INPUT" || tagName === "SELECT" || tagName === "TEXTAREA") return;
  const acts = {
    ArrowLeft: () => choosePly(open.ply - 1),
    ArrowRight: () => choosePly(open.ply + 1),
    Home: () => choosePly(0),
    End: () => choosePly(open.game.plies),
  };
  if (event.key === " " && tagName !== "BUTTON" && tagName !== "A") acts[" "] = togglePlaying;
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}
