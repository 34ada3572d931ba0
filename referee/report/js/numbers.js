// Numbers that bots sent with their moves (`info depth=7`), as a strip per key.

/** A strip of one number over the plies; a field chooses it where there are several. */
function numberStrip(game, onchoose) {
  const keys = [...new Set((game.values ?? []).flatMap(([, , values]) => Object.keys(values).filter((key) => typeof values[key] === "number")))];
  if (!keys.length) return null;
  const plies = game.moves.length;
  const field = make("select", { "aria-label": "Number of the bots", onchange: () => drawKey(field.value) });
  for (const key of keys) field.append(make("option", { value: key }, key));
  const text = make("span", null);
  const strip = plyStrip(plies, "Numbers of the bots per ply", make("span", { class: "strip-caption" }, text, keys.length > 1 ? field : null), onchoose);
  const lines = draw("g", null);
  strip.svg.append(lines);

  function drawKey(key) {
    const points = game.values.filter(([, , values]) => typeof values[key] === "number").map(([ply, seat, values]) => ({ ply, seat, value: values[key] }));
    const [low, high] = [Math.min(...points.map(({ value }) => value)), Math.max(...points.map(({ value }) => value))];
    const y = (value) => (high === low ? STRIP.height / 2 : STRIP.height - 8 - ((value - low) / (high - low)) * (STRIP.height - 16));
    const x = (ply) => Math.min(STRIP.width - 2, (ply - 0.5) * strip.slot);
    lines.replaceChildren(...[1, 2].flatMap((seat) => seatLine(points.filter((point) => point.seat === seat), seat, x, y)));
    text.replaceChildren(foreign(key), high === low ? ` per ply: ${figure(low)}` : ` per ply, from ${figure(low)} to ${figure(high)}`);
    strip.svg.setAttribute("aria-label", text.textContent);
  }

  drawKey(keys[0]);
  return strip;
}

function seatLine(points, seat, x, y) {
  if (!points.length) return [];
  const line = draw("polyline", { class: `seat-${seat}`, points: points.map(({ ply, value }) => `${x(ply).toFixed(1)},${y(value).toFixed(1)}`).join(" ") });
  const dots = points.map(({ ply, value }) => draw("rect", { class: `seat-${seat}`, x: x(ply) - 1.2, y: y(value) - 2.5, width: 2.4, height: 5 }));
  return [line, ...dots];
}
