// Small charts.

/** A dot with its interval on a scale that all rows share. */
function intervalPlot([elo, low, high, ...texts], scale) {
  const width = 180;
  const height = 24;
  const x = (value) => 6 + ((value - scale.low) / (scale.high - scale.low || 1)) * (width - 12);
  const y = height / 2;
  const isWhole = low !== null && high !== null;
  const end = (value) => (value === null ? [] : [draw("line", { class: "bar", x1: x(value), x2: x(value), y1: y - 4, y2: y + 4 })]);
  return draw(
    "svg",
    {
      class: "interval",
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": isWhole ? `Elo ${texts[0]}, 95 % from ${texts[1]} to ${texts[2]}` : `Elo ${texts[0]}`,
    },
    draw("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: height }),
    draw("line", { class: "bar", x1: x(low ?? scale.low), x2: x(high ?? scale.high), y1: y, y2: y }),
    ...end(low),
    ...end(high),
    ...(elo === null ? [] : [draw("circle", { class: "dot", cx: x(elo), cy: y, r: 5 })])
  );
}

/** A rating in numbers and as a drawing: [elo, low, high, and the texts of these, note]. */
function ratingCell(rating, scale) {
  if (!rating) return "-";
  const [, , , elo, low, high, note] = rating;
  const text = make("span", { class: "elo" }, elo);
  const range = make("span", { class: "range" }, rating[0] === null ? "" : `${low} to ${high}`);
  return make("div", { class: "rated", title: note || null }, text, intervalPlot(rating, scale), range);
}

/** From the lowest to the highest of all intervals, zero included. */
function ratingScale(ratings) {
  const ends = Object.values(ratings).flatMap(([, low, high]) => [low, high].filter((end) => end !== null));
  return { low: Math.min(0, ...ends), high: Math.max(0, ...ends) };
}

/** A line of points (x from 0 to 1, y from 0 to 1) over a grid with three labels. */
function lineChart(points, label, ends, ticks = ["0 %", "50 %", "100 %"]) {
  const [width, height, left, bottom] = [chartWidth(), 180, 12 + 7 * Math.max(...ticks.map((tick) => tick.length)), 24];
  const x = (value) => left + value * (width - left - 8);
  const y = (value) => 8 + (1 - value) * (height - bottom - 8);
  const grid = [0, 0.5, 1].flatMap((value) => [
    draw("line", { class: "axis", x1: left, x2: width - 8, y1: y(value), y2: y(value) }),
    draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, ticks[value * 2]),
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
