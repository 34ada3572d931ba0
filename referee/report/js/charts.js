// Small charts.

/** A dot with its interval on a scale that all rows share. */
function intervalPlot([elo, low, high], scale) {
  const width = 180;
  const height = 24;
  const x = (value) => 6 + ((value - scale.low) / (scale.high - scale.low || 1)) * (width - 12);
  const y = height / 2;
  return draw(
    "svg",
    {
      class: "interval",
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": `Elo ${signed(elo)}, 95 % from ${signed(low)} to ${signed(high)}`,
    },
    draw("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: height }),
    draw("line", { class: "bar", x1: x(low), x2: x(high), y1: y, y2: y }),
    draw("line", { class: "bar", x1: x(low), x2: x(low), y1: y - 4, y2: y + 4 }),
    draw("line", { class: "bar", x1: x(high), x2: x(high), y1: y - 4, y2: y + 4 }),
    draw("circle", { class: "dot", cx: x(elo), cy: y, r: 5 })
  );
}

/** From the lowest to the highest of all intervals, zero included. */
function ratingScale(ratings) {
  const ends = Object.values(ratings).flatMap(([, low, high]) => [low, high]);
  return { low: Math.min(0, ...ends), high: Math.max(0, ...ends) };
}

/** The thinking time of each ply: seat 1 upwards, seat 2 downwards. */
function timeChart(times, ply, onchoose) {
  const width = 320;
  const height = 96;
  const middle = height / 2;
  const longest = Math.max(0, ...times.filter((ms) => ms !== null));
  const slot = width / Math.max(1, times.length);
  const bars = times.map((ms, at) => {
    const length = ms === null || !longest ? 0 : Math.max(1.5, (ms / longest) * (middle - 4));
    return draw("rect", {
      class: `seat-${(at % 2) + 1}` + (at + 1 === ply ? " current" : ""),
      x: at * slot + slot * 0.15,
      width: Math.max(0.5, slot * 0.7),
      y: at % 2 ? middle + 1 : middle - 1 - length,
      height: length,
    });
  });
  const here = draw("rect", { class: "here", x: (ply - 1) * slot, y: 0, width: ply ? slot : 0, height });
  const label = longest
    ? `Thinking time per ply, ${milliseconds(longest)} at the longest; seat 1 upwards, seat 2 downwards`
    : "Nobody thought in this game";
  const chart = draw(
    "svg",
    { class: "times", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    here,
    draw("line", { class: "axis", x1: 0, x2: width, y1: middle, y2: middle }),
    ...bars
  );
  chart.addEventListener("click", (event) => {
    const { left, width: shown } = chart.getBoundingClientRect();
    onchoose(Math.min(times.length, 1 + Math.floor(((event.clientX - left) / shown) * times.length)));
  });
  return chart;
}

/** A line of points (x from 0 to 1, y from 0 to 1) over a grid with three labels. */
function lineChart(points, label, ends) {
  const [width, height, left, bottom] = [chartWidth(), 180, 44, 24];
  const x = (value) => left + value * (width - left - 8);
  const y = (value) => 8 + (1 - value) * (height - bottom - 8);
  const grid = [0, 0.5, 1].flatMap((value) => [
    draw("line", { class: "axis", x1: left, x2: width - 8, y1: y(value), y2: y(value) }),
    draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, `${value * 100} %`),
  ]);
  const path = points.map(([at, value], place) => `${place ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const [lastX, lastY] = points[points.length - 1];
  return draw(
    "svg",
    { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    ...grid,
    draw("text", { x: left, y: height - 6 }, ends[0]),
    draw("text", { x: width - 8, y: height - 6, "text-anchor": "end" }, ends[1]),
    draw("path", { class: "line", d: path }),
    draw("circle", { class: "dot", cx: x(lastX), cy: y(lastY), r: 4 })
  );
}

/** Letters in a drawing shrink with it, so on a small screen it is made smaller from the start. */
function chartWidth() {
  return window.innerWidth < 640 ? 320 : 480;
}

/** Bars with a label under as many of them as there is room for. */
function barChart(bars, label) {
  const [width, height, bottom] = [chartWidth(), 180, 24];
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const slot = width / bars.length;
  const every = Math.ceil(30 / slot);
  const parts = bars.flatMap(({ count, text }, at) => {
    const length = count ? Math.max(2, (count / most) * (height - bottom - 20)) : 0;
    const middle = at * slot + slot / 2;
    const bar = draw("rect", { class: "bar", x: at * slot + 2, width: slot - 4, y: height - bottom - length, height: length, rx: 2 });
    bar.append(draw("title", null, `${text}: ${counted(count)}`));
    return [
      bar,
      at % every ? null : draw("text", { x: middle, y: height - 6, "text-anchor": "middle" }, text),
      count && slot >= 26 ? draw("text", { x: middle, y: height - bottom - length - 5, "text-anchor": "middle" }, counted(count)) : null,
    ];
  });
  return draw("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, ...parts.filter(Boolean));
}
