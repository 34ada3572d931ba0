// The page of one tournament: featured game, wall, standings, news, progress and rounds.

const WALL_SIZE = 12;
const MAX_NEWS = 40;
const MAX_FRESH = 30;
const ANNOUNCE_MS = 10000;
const FOLLOW_MS = 1000;

class TournamentPage {
  constructor(name, content) {
    this.path = `/api/tournaments/${encodeURIComponent(name)}`;
    this.report = `/t/${encodeURIComponent(name)}/report`;
    this.fresh = [];
    this.live = [];
    this.seen = new Map();
    this.bots = [];
    this.pinned = [];
    this.announcedAt = 0;
    this.state = "waiting";
    this.progress = make("div", { class: "progress-box" });
    this.champion = make("div", { class: "champion-box", hidden: true });
    this.problem = make("p", { class: "warning", hidden: true });
    this.featured = new FeaturedGame(() => this.nextGame());
    this.standings = new LiveStandings((bot) => this.pin(bot));
    this.pinBox = make("div", { class: "pin-box" });
    this.wall = new NewestFirst({ class: "wall", "aria-label": "Latest games" }, WALL_SIZE, (game) => wallTile(game, (chosen) => this.feature(chosen)));
    this.ticker = new NewestFirst({ class: "ticker", "aria-label": "Faults and upsets" }, MAX_NEWS, (item) => this.newsItem(item));
    this.noNews = make("p", { class: "small" }, "None so far.");
    this.rounds = make("div", { class: "rounds-box" });
    const side = make(
      "div",
      { class: "arena-side" },
      make("section", null, make("h2", null, "Standings"), this.pinBox, this.standings.element),
      this.rounds,
      make("section", null, make("h2", null, "Faults and upsets"), this.noNews, this.ticker.element)
    );
    content.append(
      this.problem,
      this.champion,
      this.progress,
      make("div", { class: "arena-columns" }, this.featured.element, side),
      make("section", { class: "wall-box" }, make("h2", null, "Latest games"), this.wall.element)
    );
    this.showPin();
    document.addEventListener("keydown", (event) => this.featured.key(event));
    listen(`${this.path}/events`, {
      snapshot: (value) => this.begin(value),
      update: (value) => this.update(value),
      live: (positions) => this.showLive(positions),
    });
  }

  /** Everything, at the start and after a long pause. */
  begin(value) {
    this.fresh = [];
    this.wall.clear();
    this.ticker.clear();
    this.update(value);
    this.showLive(value.live ?? []);
  }

  update(value) {
    if (value.tournament) this.showTitle(value.tournament);
    if ("problem" in value) this.showProblem(value.problem);
    if (value.standings) this.standings.show(value.standings);
    if (value.rounds) this.showRounds(value.rounds);
    if (value.progress) this.showProgress(value.progress, value.report);
    if (value.games?.length) this.addGames(value.games);
    if (value.news?.length) this.addNews(value.news);
  }

  showTitle({ title, bots }) {
    byId("title").replaceChildren(foreign(title));
    this.bots = bots ?? [];
  }

  showProblem(text) {
    this.problem.hidden = !text;
    this.problem.replaceChildren(foreign(text ?? ""));
  }

  addGames(games) {
    this.fresh = [...this.fresh, ...games].slice(-MAX_FRESH);
    this.wall.add(games.map((game) => [game.id, game]));
    const ended = games.find((game) => game.id === this.featured.game?.id);
    if (ended && this.featured.isLive) this.featured.show(ended);
    else if (this.featured.isFree) this.featured.skip();
  }

  feature(game) {
    this.featured.isMoving = !CALM.matches;
    this.featured.show(game);
    this.featured.element.scrollIntoView({ block: "nearest", behavior: CALM.matches ? "auto" : "smooth" });
  }

  /** The freshest game that fits the pin, live ones first. */
  nextGame() {
    const fits = (game) => this.pinned.every((bot) => game.bots.includes(bot)) && game.id !== this.featured.game?.id;
    const live = this.live.filter((game) => this.isSlow(game)).find(fits);
    if (live) return live;
    const found = this.fresh.filter(fits).at(-1);
    if (found) this.fresh = this.fresh.filter((game) => game !== found);
    return found ?? null;
  }

  showLive(positions) {
    const now = performance.now();
    for (const position of positions) position.received = now - position.age_ms;
    this.live = positions.map(liveGame);
    this.seen = new Map(positions.map(({ game }) => [game, this.seen.get(game) ?? now]));
    const followed = this.live.find((game) => game.id === this.featured.game?.id);
    if (followed && this.featured.isLive) this.featured.show(followed);
    else if (this.live.length) this.followSoon();
  }

  /** Whether people can follow a game while it is played; a faster one is shown when it has ended. */
  isSlow(game) {
    return performance.now() - this.seen.get(game.id) >= FOLLOW_MS || !this.featured.game;
  }

  followSoon() {
    const follow = () => {
      this.followTimer = null;
      if (this.featured.isFree && this.live.length) this.featured.skip();
    };
    if (!this.featured.game) follow();
    else this.followTimer ??= setTimeout(follow, FOLLOW_MS);
  }

  addNews(news) {
    this.noNews.hidden = true;
    this.ticker.add(news.map((item) => [`${item.game} ${item.text}`, item]));
    this.announceSometimes(news.at(-1).text);
  }

  newsItem(item) {
    const open = async () => this.feature(await getJson(`${this.path}/games/${encodeURIComponent(item.game)}`));
    const show = () => open().catch((error) => showConnection(sentence(error.message)));
    return make("button", { type: "button", class: `news ${item.kind}`, onclick: show }, make("span", { class: "badge" }, item.kind), " ", foreign(item.text), " ", make("span", { class: "small" }, foreign(item.board)));
  }

  showProgress(progress, hasReport) {
    const { done, total, rate, left_s: left, state } = progress;
    const hasEnded = state === "finished" && this.state === "running";
    this.state = state;
    if (done === undefined) {
      this.progress.replaceChildren(make("p", { class: "summary" }, "Waiting for the first game"));
      return;
    }
    const words = { running: `${counted(rate)} games per second`, finished: "finished", stopped: "not running: the same command continues it" };
    const parts = [`${counted(done)} of ${counted(total)} games`, words[state], left === null ? null : `${timeText(left)} left`];
    const bar = make("progress", { max: Math.max(1, total), value: done, "aria-label": "Games played" });
    this.progress.replaceChildren(bar, make("p", { class: "summary" }, parts.filter(Boolean).join(" · ")));
    this.showChampion(hasReport);
    if (hasEnded) announce(`The tournament is over. ${this.champion.textContent}`);
  }

  showChampion(hasReport) {
    const { leader } = this.standings;
    this.champion.hidden = this.state !== "finished" || !leader;
    const lead = this.lead ? [foreign(this.lead)] : [make("span", { class: "label" }, "Champion:"), " ", foreign(leader ?? "")];
    const report = hasReport ? make("a", { class: "primary", href: this.report }, "Open the report") : null;
    this.champion.replaceChildren(make("p", { class: "champion" }, ...lead), report ?? "");
  }

  showRounds(value) {
    this.lead = value.lead;
    const named = (match) => match && { ...match, bots: match.bots.map((bot) => (bot === null ? null : this.bots[bot])) };
    if (value.stages) {
      const stages = value.stages.map(({ title, matches }) => ({ title, matches: matches.map(named) }));
      const box = scrollable("Bracket", drawBracket(stages, named(value.third), `Bracket. ${value.lead}`), "Drawing");
      box.classList.add("bracket-box");
      this.rounds.replaceChildren(make("h2", null, "Bracket"), box);
      return;
    }
    const round = value.rounds.at(-1);
    if (!round) return;
    const bye = round.bye === null ? null : make("li", null, foreign(this.bots[round.bye]), " has a bye");
    this.rounds.replaceChildren(make("h2", null, round.title), make("ul", { class: "match-list" }, round.matches.map(named).map(matchItem), bye));
  }

  pin(bot) {
    this.pinned = this.pinned.includes(bot) ? this.pinned.filter((name) => name !== bot) : [...this.pinned, bot].slice(-2);
    this.showPin();
    const { game } = this.featured;
    if (game && !this.pinned.every((name) => game.bots.includes(name))) this.featured.skip();
  }

  showPin() {
    this.standings.mark(this.pinned);
    if (!this.pinned.length) {
      this.pinBox.replaceChildren(make("p", { class: "small" }, "Choose one or two bots to follow their games."));
      return;
    }
    const names = this.pinned.flatMap((bot, at) => [at ? " against " : "", foreign(bot)]);
    const stop = make("button", { type: "button", class: "quiet", onclick: () => { this.pinned = []; this.showPin(); } }, "Show all games");
    this.pinBox.replaceChildren(make("p", null, "Following ", ...names), stop);
  }

  announceSometimes(text) {
    if (performance.now() - this.announcedAt < ANNOUNCE_MS) return;
    this.announcedAt = performance.now();
    announce(text);
  }
}

function matchItem(match) {
  const [one, two] = match.bots;
  return make("li", null, make("span", null, foreign(one)), make("b", null, match.scores?.join(" : ") ?? "–"), make("span", null, foreign(two)));
}

function timeText(seconds) {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
