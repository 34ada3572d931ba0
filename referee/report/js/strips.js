// Strips: small charts with a column per ply. A strip is {element, show(ply)}.

const STRIP = { width: 320, height: 84 };

/** An empty strip: a drawing where a click chooses a ply, and a mark of the current one. */
function plyStrip(plies, label, caption, onchoose) {
  const { width, height } = STRIP;
  const slot = width / Math.max(1, plies);
  const here = draw("rect", { class: "here", y: 0, width: slot, height });
  const svg = draw("svg", { class: "strip", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, here);
  svg.addEventListener("click", (event) => {
    const { left, width: shown } = svg.getBoundingClientRect();
    onchoose(Math.min(plies, 1 + Math.floor(((event.clientX - left) / shown) * plies)));
  });
  function show(ply) {
    here.setAttribute("x", (ply - 1) * slot);
    here.setAttribute("visibility", ply && ply <= plies ? "visible" : "hidden");
  }
  return { element: make("figure", null, svg, make("figcaption", { class: "small" }, caption)), svg, slot, show };
}

/** Thinking times: seat 1 upwards, seat 2 downwards, each on the scale of its limit or of the longest. */
function timeStrip(game, clocks, onchoose) {
  const { times } = game;
  const known = times.filter((ms) => ms !== null);
  const longest = Math.max(0, ...known);
  const limits = game.clocks.map(([, main, , move]) => move ?? main);
  const hasLimit = limits.some((ms) => ms !== null) && longest > 0;
  const label = longest
    ? `Thinking time per ply, ${milliseconds(longest)} at the longest; seat 1 upwards, seat 2 downwards`
    : "Thinking time per ply: none";
  const text = make("span", null);
  const button = make("button", { type: "button", class: "link", onclick: () => scale(!isLimit) });
  const caption = make("span", { class: "strip-caption" }, text, hasLimit ? button : null);
  const strip = plyStrip(times.length, label, caption, onchoose);
  const bars = draw("g", null);
  strip.svg.classList.add("times");
  strip.svg.append(draw("line", { class: "axis", x1: 0, x2: STRIP.width, y1: STRIP.height / 2, y2: STRIP.height / 2 }), bars);
  let isLimit = hasLimit;

  function scale(toLimit) {
    isLimit = toLimit;
    const tops = limits.map((limit) => (toLimit && limit !== null ? limit : longest));
    bars.replaceChildren(...times.map((ms, at) => timeBar(ms, at, tops[at % 2], strip.slot)), ...(toLimit ? clockLines(game, clocks, tops, strip.slot) : []));
    text.textContent = longest ? `Thinking time per ply, longest ${milliseconds(longest)}${toLimit ? `; full height: ${limitText(limits)}` : ""}` : "Thinking time per ply: none";
    button.textContent = toLimit ? "Show on the scale of the longest" : "Show on the scale of the limit";
  }

  scale(isLimit);
  return strip;
}

function limitText(limits) {
  const texts = limits.map((ms) => (ms === null ? "no limit" : milliseconds(ms)));
  return texts[0] === texts[1] ? `the limit, ${texts[0]}` : `the limits, ${texts.join(" and ")}`;
}

function timeBar(ms, at, top, slot) {
  const middle = STRIP.height / 2;
  const length = ms === null || !top ? 0 : Math.min(middle - 3, Math.max(1.5, (ms / top) * (middle - 3)));
  return draw("rect", {
    class: `seat-${(at % 2) + 1}`,
    x: at * slot + slot * 0.15,
    width: Math.max(0.5, slot * 0.7),
    y: at % 2 ? middle + 1 : middle - 1 - length,
    height: length,
  });
}

/** What is left on clocks that run down. */
function clockLines(game, clocks, tops, slot) {
  const middle = STRIP.height / 2;
  return [0, 1]
    .filter((seat) => game.clocks[seat][1] !== null)
    .map((seat) => {
      const direction = seat ? 1 : -1;
      const points = clocks.map(({ left }, ply) => {
        const length = Math.min(1, left[seat] / tops[seat]) * (middle - 3);
        return `${(ply * slot).toFixed(1)},${(middle + direction * (1 + length)).toFixed(1)}`;
      });
      return draw("polyline", { class: `clock-line seat-${seat + 1}`, points: points.join(" ") });
    });
}

/** For every ply what each clock shows: time left, or thought in all where none runs down. */
function clocksOf(game) {
  const left = game.clocks.map(([, main]) => main);
  const spent = [0, 0];
  const states = [{ left: [...left], spent: [...spent] }];
  game.times.forEach((ms, at) => {
    const seat = at % 2;
    const [, main, increment] = game.clocks[seat];
    if (ms !== null) {
      spent[seat] += ms;
      if (main !== null) left[seat] = Math.max(0, left[seat] - ms) + increment;
    }
    states.push({ left: [...left], spent: [...spent] });
  });
  return states;
}
