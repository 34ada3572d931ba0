// The list of tournaments.

const REFRESH_MS = 3000;

async function showIndex(content) {
  const list = make("ul", { class: "tournaments" });
  const empty = make("p", { class: "lead", hidden: true }, "There are no results yet: ", make("code", null, "referee run cup.yaml"), " plays a tournament, and it appears here.");
  content.append(empty, list);
  let shown = "";
  const refresh = async () => {
    try {
      const { tournaments } = await getJson("/api/tournaments");
      showConnection("");
      empty.hidden = tournaments.length > 0;
      const text = JSON.stringify(tournaments);
      if (text !== shown) fillList(list, tournaments);
      shown = text;
    } catch {
      showConnection("Connection lost, trying again");
    }
    setTimeout(refresh, REFRESH_MS);
  };
  await refresh();
}

/** Draw the list, and keep the focus where it was. */
function fillList(list, tournaments) {
  const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  list.replaceChildren(...tournaments.map(tournamentItem));
  if (focused) list.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

function tournamentItem({ name, title, bots, boards, progress }) {
  const { state, done, total } = progress;
  const games = done === undefined ? "no games yet" : `${counted(done)} of ${counted(total)} games`;
  const facts = [games, plural(bots?.length ?? 0, "bot", "bots"), (boards ?? []).join(", ")];
  return make(
    "li",
    { class: `tournament ${state}` },
    make("h2", null, link(`/t/${encodeURIComponent(name)}`, foreign(title)), " ", make("span", { class: state === "running" ? "live-mark" : "small" }, state === "running" ? "live" : state)),
    make("p", { class: "small" }, foreign(facts.filter(Boolean).join(" · "))),
    done === undefined ? null : make("progress", { max: Math.max(1, total), value: done, "aria-label": `Games played of ${title}` })
  );
}
