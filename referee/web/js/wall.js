// Lists that grow at their beginning: the wall of the latest games, and the ticker.

/** A list of at most `most` items, the newest first; items that stay are not drawn again. */
class NewestFirst {
  constructor(attributes, most, draw) {
    this.element = make("ul", attributes);
    this.most = most;
    this.draw = draw;
    this.ids = [];
  }

  clear() {
    this.ids = [];
    this.element.replaceChildren();
  }

  /** `items`: [id, value], the oldest first. */
  add(items) {
    for (const [id, value] of items.slice(-this.most)) {
      if (this.ids.includes(id)) continue;
      this.ids.push(id);
      this.element.prepend(make("li", null, this.draw(value)));
    }
    while (this.ids.length > this.most) {
      this.ids.shift();
      this.element.lastElementChild.remove();
    }
  }
}

/** A small board of a finished game; `onchoose` is called with the game. */
function wallTile(game, onchoose) {
  const winner = winnerOf(game);
  const names = [0, 1].map((seat) => make("span", { class: `name seat-${seat + 1}${winner === seat ? " winner" : ""}` }, foreign(game.bots[seat])));
  const board = make("span", { class: "tile-board", "aria-hidden": "true" }, makeGameBoards(game).boardAt(game.moves.length));
  return make("button", { type: "button", class: "tile", onclick: () => onchoose(game) }, board, make("span", { class: "tile-names" }, ...names), unseen(`: ${game.sentence}, ${boardTitle(game.board)}`));
}
