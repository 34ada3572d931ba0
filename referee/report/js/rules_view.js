// The rules of a game, as a view of the report.

function showRules(words) {
  const name = Object.hasOwn(DATA.rules, words.variant ?? "") ? words.variant : Object.keys(DATA.rules)[0];
  const content = byId("rules").querySelector(".content");
  byId("rules-title").textContent = name ? `Rules of ${name}` : "Rules";
  content.replaceChildren(...(name ? markdown(DATA.rules[name]) : [make("p", null, "The rules of these games are not known here.")]));
}
