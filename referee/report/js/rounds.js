// The rounds of a Swiss tournament, and the bracket of a knockout.

function showRounds(words) {
  const content = byId("rounds").querySelector(".content");
  if (!DATA.rounds) {
    content.replaceChildren(make("p", null, "All games of this tournament are one round."));
    return;
  }
  content.replaceChildren(...(DATA.rounds.stages ? knockoutPage(words) : swissPage(words)));
}

/** What the overview leads with: the champion and the bracket, or the leader and the last round. */
function roundsLead() {
  if (!DATA.rounds) return [];
  const lead = make("p", { class: "champion" }, ...leadParts(DATA.rounds.lead));
  if (DATA.rounds.stages) return [lead, bracketBox(), bracketNote()].filter(Boolean);
  const last = DATA.rounds.rounds.at(-1);
  if (!last) return [lead];
  const some = last.matches.slice(0, 6);
  const text = last.matches.length > some.length ? `All ${counted(last.matches.length)} matches of ${last.title}` : "All rounds";
  return [
    lead,
    make("h2", null, last.title),
    matchesTable(last.title, some, last.bye),
    make("p", { class: "after" }, link(addressOf({ view: "rounds" }), text)),
  ];
}

/** "Champion: bot-8", with what stands before the name in another tone. */
function leadParts(text) {
  const at = text.lastIndexOf(": ");
  if (at < 0) return [text];
  return [make("span", { class: "label" }, text.slice(0, at + 1)), " ", foreign(text.slice(at + 2))];
}

function roundTabs(titles, current) {
  if (titles.length < 2) return null;
  const items = titles.map((title, at) =>
    make("li", null, make("a", { href: addressOf({ view: "rounds", round: at + 1 }), "aria-current": at === current ? "true" : null }, title))
  );
  return make("nav", { class: "tabs", "aria-label": "Rounds" }, make("ul", null, items));
}

function swissPage(words) {
  const { rounds, lead, left_out: leftOut } = DATA.rounds;
  const head = make("p", { class: "champion" }, ...leadParts(lead));
  if (!rounds.length) return [head];
  const wanted = Number.parseInt(words.round, 10) || rounds.length;
  const at = Math.min(rounds.length, Math.max(1, wanted)) - 1;
  const { title, matches, bye } = rounds[at];
  const note = leftOut ? make("p", { class: "note" }, `The first ${counted(leftOut)} rounds are in rounds.md alone.`) : null;
  return [head, roundTabs(rounds.map((one) => one.title), at), make("h2", null, title), matchesTable(title, matches, bye), note].filter(Boolean);
}

function knockoutPage(words) {
  const { stages, lead, places, third } = DATA.rounds;
  const medals = places.slice(1).map((bot, at) => make("li", null, make("span", { class: "label" }, ["Second:", "Third:"][at]), " ", botLink(bot)));
  const known = stages.filter(({ matches }) => matches.some((match) => match && !match.bye));
  const sections = [...known].reverse().map(({ title, matches }) => {
    const played = matches.filter((match) => match && !match.bye);
    const byes = matches.filter((match) => match?.bye).map((match) => match.bots[match.winner]);
    return make("section", null, make("h2", null, title), matchesTable(title, played, null), byesLine(byes));
  });
  if (third) sections.splice(1, 0, make("section", null, make("h2", null, "Third place"), matchesTable("Third place", [third], null)));
  return [
    make("p", { class: "champion" }, ...leadParts(lead)),
    medals.length ? make("ul", { class: "places" }, medals) : null,
    bracketBox(),
    bracketNote(),
    ...sections,
  ].filter(Boolean);
}

function byesLine(bots) {
  if (!bots.length) return null;
  const names = bots.flatMap((bot, at) => [at ? ", " : "", botLink(bot)]);
  return make("p", { class: "after" }, bots.length === 1 ? "Bye: " : "Byes: ", ...names);
}

function bracketBox() {
  const { stages, third, lead } = DATA.rounds;
  const named = (match) =>
    match && { ...match, bots: match.bots.map((bot) => (bot === null ? null : DATA.bots[bot].name)), address: matchAddress(match) };
  const drawn = stages.map(({ title, matches }) => ({ title, matches: matches.map(named) }));
  const box = scrollable("Bracket", drawBracket(drawn, named(third), `Bracket. ${lead}`), "Drawing");
  box.classList.add("bracket-box");
  return box;
}

function bracketNote() {
  const all = [...DATA.rounds.stages.flatMap(({ matches }) => matches), DATA.rounds.third];
  const hasPlayOff = all.some((match) => match?.parts?.length > 1);
  return hasPlayOff ? make("p", { class: "small" }, "* with play-offs: the sum of all parts of the match.") : null;
}

/** The games of a match. */
function matchAddress({ bots, scores, encounters }) {
  if (!scores) return null;
  const [bot, opponent] = bots.map((one) => DATA.bots[one].name);
  return addressOf({ view: "games", bot, opponent, encounters });
}

function matchesTable(title, matches, bye) {
  const rows = matches.map((match) => {
    const score = match.scores ? match.scores.join(" : ") : "–";
    const address = matchAddress(match);
    const parts = match.parts?.length > 1 ? make("span", { class: "small" }, match.parts.join(", ")) : null;
    return make(
      "tr",
      null,
      matchBot(match, 0, "left-bot"),
      make("td", { class: "score" }, address ? link(address, unseen("games: "), score) : score, parts),
      matchBot(match, 1, "right-bot"),
      make("td", { class: "remark" }, match.note ? foreign(match.note) : "")
    );
  });
  if (bye !== null && bye !== undefined) {
    rows.push(make("tr", null, make("td", { class: "left-bot" }, botLink(bye)), make("td", { class: "score" }, "bye"), make("td"), make("td")));
  }
  const head = ["Bot", "Score", "Bot", "Remark"].map((text, at) => make("th", { scope: "col", class: ["left-bot", "score", "right-bot", "remark"][at] }, text));
  const hasRemarks = matches.some(({ note }) => note);
  const table = make(
    "table",
    { class: "matches" + (hasRemarks ? "" : " no-remarks") },
    make("caption", { class: "visually-hidden" }, title),
    make("thead", null, make("tr", null, head)),
    make("tbody", null, rows)
  );
  return scrollable(title, table);
}

function matchBot({ bots, winner, before }, at, side) {
  const own = make("span", { class: winner === at ? "winner" : null }, botLink(bots[at]));
  const points = before ? make("span", { class: "small", title: "points before this round" }, ` (${before[at]})`) : null;
  return make("td", { class: side }, own, points);
}
