// One game, ply by ply, in any element.

const PLAY_MS = 800;
const PAUSE_MS = 2400;
const SPEEDS = [0.5, 1, 2, 4];
const ICONS = {
  first: "M5 5h3v14H5zM20 5v14L9 12z",
  back: "M15 4l2 2-6 6 6 6-2 2-8-8z",
  play: "M7 5v14l12-7z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  next: "M9 4L7 6l6 6-6 6 2 2 8-8z",
  last: "M4 5v14l11-7zM16 5h3v14h-3z",
  loop: "M7 7h9V4l5 4-5 4V9H9v4H7zM17 17H8v3l-5-4 5-4v3h7v-4h2z",
  copy: "M8 3h11v14h-3v4H5V7h3zm2 2v2h6v8h1V5zM7 9v10h7V9z",
};

/**
 * Show a game in an element and return {show(state), key(event), state, close()}.
 *
 * game: {board, bots, opening, moves, times, score, reason, why, clocks, faults, info, dossier, boards};
 * a game without a reason has not ended
 * options, all of them optional:
 *   ply, speed, loop, playing   the state to begin with
 *   onchange(state)             called when a person or the clock changed the state
 *   linkOf(seat)                an element for a bot's name
 *   onlink()                    the address to copy, as text
 *   strips                      [(game, onchoose) → {element, show(ply)}], below the players
 *   markOf(ply)                 an element behind a move of the list, or null
 *   cellsAt(ply)                Map from cell name to a class, for cells to highlight on the board
 *   noteAt(ply)                 elements to add to the sentence about a ply, or null
 *   firstStrip                  a strip above the others
 *   errors                      plies of errors: a button and a key (e) go to the next
 */
function mountReplay(element, game, options = {}) {
  const plies = game.moves.length;
  const boards = makeGameBoards(game);
  const clocks = clocksOf(game);
  const state = { ply: 0, playing: false, speed: 1, loop: false };
  let timer = null;

  const choose = (ply) => change({ ply, playing: false });
  const strips = [options.firstStrip?.(game, choose), timeStrip(game, clocks, choose), ...(options.strips ?? []).map((makeStrip) => makeStrip(game, choose))].filter(Boolean);
  const moves = moveList(game, choose, options.markOf);
  const parts = {
    board: make("div", { class: "board-frame" }),
    players: make("div", { class: "players" }),
    status: make("p", { class: "status", role: "status" }),
    note: make("p", { class: "note", hidden: true }),
    ...replayControls(plies, change, () => state, options),
  };
  const side = make("div", { class: "moves-side" }, parts.players, ...strips.map((strip) => strip.element), moves.element, infoLeftOut(game));
  const below = make("div", { class: "below-board" }, parts.status, parts.options);
  const replay = make("div", { class: "replay" }, make("div", { class: "board-side" }, parts.board, parts.controls, below, parts.note, boardLegend(game)), side);
  replay.style.setProperty("--ratio", String(boardRatio(game.board)));
  element.replaceChildren(...[replay, faultCards(game)].filter(Boolean));

  /** A person, or the clock, wants another state. */
  function change(wanted) {
    show(wanted);
    options.onchange?.({ ...state });
  }

  function show(wanted) {
    Object.assign(state, wanted);
    state.ply = Math.min(plies, Math.max(0, state.ply));
    if (wanted.playing && state.ply === plies) state.ply = 0;
    schedule();
    parts.show(state);
    parts.board.replaceChildren(boards.boardAt(state.ply, options.cellsAt?.(state.ply)));
    parts.players.replaceChildren(...[0, 1].map((seat) => playerCard(game, seat, state.ply, clocks[state.ply], options.linkOf)));
    // A screen reader is not to read every ply of a game that plays.
    parts.status.setAttribute("aria-live", state.playing ? "off" : "polite");
    parts.status.replaceChildren(...statusOf(game, state.ply), ...(options.noteAt?.(state.ply) ?? []));
    parts.note.hidden = state.ply < boards.known;
    parts.note.textContent = state.ply < boards.known ? "" : "The board of this ply is not known here.";
    for (const part of [...strips, moves]) part.show(state.ply);
  }

  function schedule() {
    clearTimeout(timer);
    if (!state.playing) return;
    const isEnd = state.ply === plies;
    timer = setTimeout(step, (isEnd ? PAUSE_MS : PLAY_MS) / state.speed);
  }

  function step() {
    if (state.ply < plies) change({ ply: state.ply + 1, ...(state.ply + 1 === plies && !state.loop ? { playing: false } : {}) });
    else change({ ply: 0 });
  }

  /** Keys of the whole page; fields keep their own. */
  function key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { tagName } = event.target;
    if (tagName === "INPUT" || tagName === "SELECT" || tagName === "TEXTAREA") return;
    const acts = {
      ArrowLeft: () => choose(state.ply - 1),
      ArrowRight: () => choose(state.ply + 1),
      Home: () => choose(0),
      End: () => choose(plies),
      ...(options.errors?.length ? { e: () => choose(nextError(options.errors, state.ply)) } : {}),
    };
    if (event.key === " " && !["BUTTON", "A", "SUMMARY"].includes(tagName)) acts[" "] = () => change({ playing: !state.playing });
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // With reduced motion, playing begins only at the request of the reader.
  const isCalm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  show({ ply: options.ply ?? 0, speed: options.speed ?? 1, loop: Boolean(options.loop), playing: Boolean(options.playing) && !isCalm });
  return { state, show, key, close: () => clearTimeout(timer) };
}

function boardRatio({ rows, cols }) {
  return (EDGE + cols * CELL) / (EDGE + rows * CELL) || 1;
}

function replayControls(plies, change, state, { onlink, errors = [] }) {
  const button = (name, label, act) => make("button", { type: "button", "data-act": name, "aria-label": label, title: label, onclick: act }, icon(name));
  const go = (ply) => change({ ply, playing: false });
  const slider = make("input", { type: "range", min: 0, max: plies, step: 1, "aria-label": "Ply", oninput: () => go(Number(slider.value)) });
  const play = button("play", "Play", () => change({ playing: !state().playing }));
  const loop = button("loop", "Repeat", () => change({ loop: !state().loop }));
  const speed = make("select", { "aria-label": "Speed", onchange: () => change({ speed: Number(speed.value) }) });
  for (const value of SPEEDS) speed.append(make("option", { value }, `${value}×`));
  const controls = make(
    "div",
    { class: "controls", role: "group", "aria-label": "Step through the game" },
    button("first", "First position", () => go(0)),
    button("back", "One ply back", () => go(state().ply - 1)),
    play,
    button("next", "One ply on", () => go(state().ply + 1)),
    button("last", "Last position", () => go(plies)),
    slider
  );
  const options = make("div", { class: "controls options" }, errors.length ? errorButton(() => go(nextError(errors, state().ply))) : null, speed, loop, onlink ? copyButton(onlink) : null);

  function show({ ply, playing, speed: factor, loop: isLooped }) {
    slider.value = ply;
    slider.setAttribute("aria-valuetext", ply ? `ply ${ply} of ${plies}` : "before the first move");
    for (const [name, isOff] of [["first", !ply], ["back", !ply], ["next", ply === plies], ["last", ply === plies]]) {
      controls.querySelector(`[data-act="${name}"]`).disabled = isOff;
    }
    const label = playing ? "Pause" : "Play";
    play.replaceChildren(icon(playing ? "pause" : "play"));
    play.setAttribute("aria-label", label);
    play.title = label;
    loop.setAttribute("aria-pressed", String(isLooped));
    speed.value = String(factor);
  }

  return { controls, options, show };
}

function errorButton(act) {
  return make("button", { type: "button", class: "copy", title: "Next error (key e)", onclick: act }, make("span", { class: "error-mark", "aria-hidden": "true" }, "??"), "Next error");
}

function copyButton(onlink) {
  const text = make("span", null, "Copy link");
  const button = make("button", { type: "button", class: "copy", onclick: copy }, icon("copy"), text);
  async function copy() {
    const address = onlink();
    try {
      await navigator.clipboard.writeText(address);
      text.textContent = "Copied";
    } catch {
      window.prompt("The link:", address);
      return;
    }
    setTimeout(() => (text.textContent = "Copy link"), 2000);
  }
  return button;
}

function icon(name) {
  return draw("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, draw("path", { d: ICONS[name] }));
}

function statusOf(game, ply) {
  const plies = game.moves.length;
  const place = make("b", null, game.reason ? `Ply ${ply} of ${plies}` : `Ply ${ply}`);
  if (!ply) return [place, ", before the first move"];
  const ms = game.times[ply - 1];
  const time = ms === null || ms === undefined ? (ply <= game.opening ? " (opening)" : "") : ` (${milliseconds(ms)})`;
  const parts = [place, ": ", foreign(game.bots[(ply - 1) % 2]), " plays ", make("code", null, game.moves[ply - 1]), time];
  if (ply === plies && game.reason) parts.push("; ", ...endingOf(game));
  return parts;
}

function playerCard(game, seat, ply, { left, spent }, linkOf) {
  const [text, main] = game.clocks[seat];
  const isOver = ply === game.moves.length && game.reason;
  const isOnTurn = !isOver && ply % 2 === seat;
  const hasWon = winnerOf(game) === seat;
  const clock = main === null ? `${milliseconds(spent[seat])} thought` : `${milliseconds(left[seat])} left`;
  return make(
    "div",
    { class: `player seat-${seat + 1}` + (isOnTurn ? " on-turn" : "") + (hasWon ? " won" : "") },
    make("span", { class: "token", "aria-hidden": "true" }, marksOf(game.board)[seat]),
    make(
      "span",
      { class: "who" },
      make("span", { class: "name" }, linkOf ? linkOf(seat) : foreign(game.bots[seat]), hasWon ? make("span", { class: "badge" }, "winner") : null),
      make("span", { class: "small" }, `seat ${seat + 1}${isOnTurn ? ", to move" : ""}`)
    ),
    make("span", { class: "clock" }, clock, make("span", { class: "small" }, foreign(text || "no clock")))
  );
}

function infoLeftOut(game) {
  if (!game.infoLeftOut) return null;
  return make("p", { class: "small" }, `${counted(game.infoLeftOut)} more info lines are in games.jsonl alone.`);
}
