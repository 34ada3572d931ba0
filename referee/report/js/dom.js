// Create elements. Text only ever becomes text nodes and attribute values, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element with attributes, listeners (`onclick: f`) and children (elements or text). */
function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for a part of a drawing. */
function draw(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Text that somebody else wrote: whatever its direction, it does not touch what stands around. */
function foreign(text) {
  return make("bdi", null, text);
}

/** Words for those who hear the page. */
function unseen(text) {
  return make("span", { class: "visually-hidden" }, text);
}

function link(address, ...children) {
  return make("a", { href: address }, ...children);
}

/** The address of a view: `#view=games&bot=alpha`. */
function addressOf(words) {
  const kept = Object.entries(words).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return "#" + new URLSearchParams(kept).toString();
}

function byId(id) {
  return document.getElementById(id);
}

/** A choice among texts; calls back with the one chosen. */
function choice(label, options, chosen, onchoose) {
  const select = make("select", { onchange: () => onchoose(select.value) });
  for (const [value, text] of options) {
    select.append(make("option", { value, selected: value === chosen }, text));
  }
  return labelled(label, select);
}

let labels = 0;

/** A field under its label. */
function labelled(label, field) {
  labels += 1;
  field.id = `field-${labels}`;
  return make("div", { class: "field" }, make("label", { for: field.id }, label), field);
}

/** Numbers as people write them: `3`, `3.5`. */
function short(value) {
  return String(Math.round(value * 100) / 100);
}

/** With a capital letter, as a sentence begins. */
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function counted(value) {
  return value.toLocaleString("en");
}

function percent(points, games) {
  return games ? ((100 * points) / games).toFixed(1) : "–";
}

function signed(value) {
  const rounded = Math.round(value);
  return (rounded > 0 ? "+" : rounded < 0 ? "−" : "") + Math.abs(rounded);
}

/** Milliseconds with as many digits as say something. */
function milliseconds(ms) {
  if (ms >= 10000) return (ms / 1000).toFixed(1) + " s";
  if (ms >= 1000) return (ms / 1000).toFixed(2) + " s";
  return (ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2)) + " ms";
}

/** A table that is wider than the screen scrolls by itself, and by the keyboard. */
function scrollable(label, table) {
  return make("div", { class: "scroll", role: "region", "aria-label": `Table: ${label}`, tabindex: 0 }, table);
}
