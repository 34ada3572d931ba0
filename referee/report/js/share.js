// One game as a page of its own; the state is in the address, as in the report.

const { game: SHARED, rules: SHARED_RULES } = JSON.parse(byId("data").textContent);
const SHARED_WORDS = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const SHARED_REPLAY = mountReplay(byId("game"), SHARED, sharedOptions(SHARED_WORDS));

/** Without a ply in the address the game plays, again and again. */
function sharedOptions({ ply, play, speed, loop }) {
  const isFresh = ply === undefined;
  return {
    ply: Math.max(0, Number.parseInt(ply, 10) || 0),
    playing: isFresh || play === "1",
    speed: SPEEDS.includes(Number(speed)) ? Number(speed) : 1,
    loop: isFresh || loop === "1",
    onlink: () => location.href.split("#")[0] + addressOf({ ply: SHARED_REPLAY.state.ply }),
    strips: [numberStrip],
    ...analysisOptions(SHARED),
  };
}

byId("ending").replaceChildren(...endingOf(SHARED), `, after ${plural(SHARED.moves.length, "ply", "plies")}`);
if (SHARED_RULES) byId("rules").append(make("details", { class: "fold" }, make("summary", null, `Rules of ${SHARED.board.variant}`), ...markdown(SHARED_RULES)));
document.addEventListener("keydown", SHARED_REPLAY.key);
