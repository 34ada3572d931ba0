// What went wrong in a game, for the author of the bot: a card per fault, and the transcript.

function faultCards(game) {
  if (!game.faults.length) return null;
  const cards = game.faults.map(([seat, reason, detail], at) => faultCard(game, { seat, reason, detail }, game.dossier?.faults[at]));
  const transcript = game.dossier?.transcript
    ? make(
        "details",
        { class: "fold" },
        make("summary", null, "Transcript: every line with its time"),
        make("pre", { class: "transcript", tabindex: 0, role: "region", "aria-label": "Transcript" }, foreign(game.dossier.transcript))
      )
    : make("p", { class: "small" }, "Its dossier is not in this page: the folder may have it, below faults/.");
  return make("section", { class: "faults", "aria-label": "Faults" }, make("h2", null, game.faults.length === 1 ? "Fault" : "Faults"), ...cards, transcript);
}

function faultCard(game, { seat, reason, detail }, found) {
  const facts = new Map(found?.rows ?? []);
  const hint = facts.get("hint");
  const rest = [...facts].filter(([title]) => title !== "hint" && title !== "what happened");
  return make(
    "article",
    { class: "fault-card" },
    make("h3", null, foreign(game.bots[seat - 1] ?? "?"), ` (seat ${seat}): `, make("span", { class: "fault" }, foreign(reason))),
    make("p", { class: "happened" }, foreign(sentence(detail))),
    hint ? make("p", { class: "hint" }, make("b", null, "Hint: "), foreign(hint)) : null,
    rest.length ? make("dl", { class: "fault-facts" }, rest.map(([title, text]) => make("div", null, make("dt", null, sentence(title)), make("dd", null, foreign(text))))) : null,
    found?.stderr.length
      ? make("div", null, make("p", { class: "small" }, "Standard error ended with"), make("pre", { class: "stderr", tabindex: 0, role: "region", "aria-label": "Standard error" }, foreign(found.stderr.join("\n"))))
      : null
  );
}
