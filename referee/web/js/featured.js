// One game on a large board: played back at a speed that people can follow, or followed live.

const HOLD_MS = 3000;

class FeaturedGame {
  /** `next` gives the game to show after this one, or null. */
  constructor(next) {
    this.next = next;
    this.game = null;
    this.replay = null;
    this.live = null;
    this.timer = null;
    this.isMoving = !CALM.matches;
    this.heading = make("h2", { class: "featured-title" }, "Waiting for the first game");
    this.place = make("div");
    this.skipButton = make("button", { type: "button", class: "quiet", hidden: true, onclick: () => this.skip() }, "Next game");
    const head = make("div", { class: "heading-row" }, this.heading, this.skipButton);
    this.element = make("section", { class: "featured", "aria-label": "Featured game" }, head, this.place);
  }

  get isLive() {
    return Boolean(this.game?.live);
  }

  /** Whether another game may take its place by itself. */
  get isFree() {
    if (!this.game) return true;
    return this.isMoving && !this.isLive && !this.timer && !this.replay.state.playing;
  }

  show(game, { ply = null } = {}) {
    const isSame = this.game?.id === game.id;
    const wasLive = this.isLive;
    this.stopTimer();
    this.game = game;
    this.skipButton.hidden = false;
    const state = game.live ? make("span", { class: "live-mark" }, "live") : null;
    this.heading.replaceChildren(foreign(game.bots[0]), " – ", foreign(game.bots[1]), " ", make("span", { class: "small" }, boardTitle(game.board)), " ", state ?? "");
    if (game.live) this.showLive(isSame);
    else this.showReplay(game, ply ?? (isSame && wasLive ? game.moves.length : CALM.matches ? game.moves.length : 0));
  }

  showLive(isSame) {
    if (!this.live || !isSame) {
      this.clear();
      this.live = new LiveBoard((seat) => liveClock(this.game, seat));
      this.place.replaceChildren(this.live.element);
    }
    this.live.show(this.game);
    this.live.below.replaceChildren(make("p", { class: "status" }, ...statusOf(this.game, this.game.moves.length)));
  }

  showReplay(game, ply) {
    const { speed } = this.replay?.state ?? { speed: 1 };
    this.clear();
    const isAtEnd = ply >= game.moves.length;
    this.replay = mountReplay(this.place, game, { ply, speed, playing: this.isMoving && !isAtEnd, strips: [numberStrip], onchange: (state) => this.onchange(state) });
    this.before = { ...this.replay.state };
    if (isAtEnd && this.isMoving) this.hold();
  }

  /** A person who stops the game stays with it; a game that ends by itself makes room. */
  onchange(state) {
    const hasEnded = this.before.playing && !state.playing && state.ply === this.game.moves.length && state.ply === this.before.ply + 1;
    this.before = state;
    this.stopTimer();
    this.isMoving = state.playing || hasEnded;
    if (hasEnded) this.hold();
  }

  hold() {
    this.timer = setTimeout(() => {
      this.timer = null;
      this.skip();
    }, HOLD_MS);
  }

  skip() {
    this.stopTimer();
    const game = this.next();
    if (game) this.show(game);
  }

  stopTimer() {
    clearTimeout(this.timer);
    this.timer = null;
  }

  clear() {
    this.replay?.close();
    this.live?.close();
    this.replay = this.live = null;
  }

  key(event) {
    this.replay?.key(event);
  }
}
