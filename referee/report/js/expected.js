// The ratings of all boards side by side, and what they expect of each two bots.

function showRatings(words) {
  const part = partOf(words.board);
  const choose = boardChoice(part, (board) => go({ view: "ratings", board }));
  byId("ratings").querySelector(".content").replaceChildren(
    make("h2", null, "All boards"),
    make("p", { class: "lead" }, "Ranks that the games do not separate are a range; the third column is how likely a bot is better than the next."),
    scrollable("Ratings", textTable("Ratings", DATA.board_ratings)),
    make("div", { class: "heading-row" }, make("h2", null, "Expected scores"), choose),
    make("p", { class: "lead" }, "The score in percent that the ratings expect of the bot at the left against the one above; in brackets, what it scored beyond that. Large differences are results that one number per bot cannot explain."),
    scrollable("Expected scores", textTable(`Expected scores: ${partTitle(part)}`, part.expected))
  );
}

/** A table of texts: titles, then rows whose first cell is the number of a bot. */
function textTable(caption, [titles, ...rows]) {
  const heads = ["Bot", ...titles].map((title, at) => make("th", { scope: "col", class: at ? "number" : "first" }, foreign(title)));
  const lines = rows.map(([bot, ...texts]) =>
    make("tr", null, make("th", { scope: "row", class: "first" }, botLink(bot)), texts.map((text) => make("td", { class: "number" }, text)))
  );
  return make("table", { class: "texts" }, make("caption", { class: "visually-hidden" }, caption), make("thead", null, make("tr", null, heads)), make("tbody", null, lines));
}
