// Standings that move when ranks change, with the report's drawings of the rating's interval.

const MOVE_MS = 600;
const SCALE_STEP = 0.15;

/** The table for rows of the server; `onpin` is called with a bot's name. */
class LiveStandings {
  constructor(onpin) {
    this.onpin = onpin;
    this.rows = new Map();
    this.scale = null;
    this.pinned = [];
    this.body = make("tbody");
    const heads = [["Rank", "number rank"], ["Bot", "first"], ["Points", "number"], ["Elo, 95 % interval", "rating"], ["Score %", "number"], ["Faults", "number"]];
    const head = make("tr", null, heads.map(([text, kind]) => make("th", { scope: "col", class: kind }, text)));
    const table = make("table", { class: "standings" }, make("caption", { class: "visually-hidden" }, "Standings"), make("thead", null, head), this.body);
    this.element = scrollable("Standings", table);
  }

  /** The bot with rank 1. */
  get leader() {
    return this.rows.keys().next().value;
  }

  show(values) {
    const before = new Map([...this.rows].map(([bot, row]) => [bot, row.getBoundingClientRect().top]));
    const focused = this.body.contains(document.activeElement) ? document.activeElement : null;
    const ratings = Object.fromEntries(values.filter(({ rating }) => rating).map(({ bot, rating }) => [bot, ratingNumbers(rating)]));
    this.scale = followScale(this.scale, ratingScale(ratings));
    this.rows = new Map(values.map((value) => [value.bot, this.update(this.rows.get(value.bot) ?? this.makeRow(value.bot), value, ratings[value.bot])]));
    const order = [...this.rows.values()];
    if (order.some((row, at) => row !== this.body.children[at]) || order.length !== this.body.children.length) {
      this.body.replaceChildren(...order);
      focused?.focus({ preventScroll: true });
    }
    if (!CALM.matches) for (const [bot, row] of this.rows) slide(row, before.get(bot));
  }

  makeRow(bot) {
    const pin = make("button", { type: "button", class: "link pin", "aria-pressed": String(this.pinned.includes(bot)), title: `Follow ${bot}`, onclick: () => this.onpin(bot) }, foreign(bot));
    const cell = (kind) => make("td", { class: kind });
    return make("tr", { "data-bot": bot }, cell("number rank"), make("th", { scope: "row", class: "first" }, pin), cell("number"), cell("rating"), cell("number"), cell("number"));
  }

  update(row, { rank, points, score, faults }, rating) {
    const [first, , second, third, fourth, fifth] = row.children;
    for (const [place, text] of [[first, rank], [second, points], [fourth, score], [fifth, faults || "–"]]) {
      if (place.textContent !== String(text)) place.textContent = String(text);
    }
    third.replaceChildren(ratingCell(rating, this.scale));
    return row;
  }

  /** Mark the bots that are followed. */
  mark(pinned) {
    this.pinned = pinned;
    for (const [bot, row] of this.rows) row.querySelector(".pin").setAttribute("aria-pressed", String(pinned.includes(bot)));
  }
}

/** A rating as the report has it: numbers, then their texts. */
function ratingNumbers({ elo, low, high, texts }) {
  return [elo, low, high, ...texts, null];
}

/** The scale follows the intervals slowly: bars become visibly shorter while intervals shrink. */
function followScale(before, now) {
  if (!before) return now;
  const follow = (from, to) => from + (to - from) * SCALE_STEP;
  return { low: Math.min(now.low, follow(before.low, now.low)), high: Math.max(now.high, follow(before.high, now.high)) };
}

/** Let a row begin where it was before. */
function slide(row, before) {
  if (before === undefined) return;
  const distance = before - row.getBoundingClientRect().top;
  if (Math.abs(distance) < 2) return;
  row.animate([{ transform: `translateY(${distance}px)` }, { transform: "none" }], { duration: MOVE_MS, easing: "ease-out" });
}
