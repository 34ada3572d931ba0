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

/** Text from outside: its direction of writing does not affect the text around it. */
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

/** A table that is wider than the screen scrolls by itself, and by the keyboard; shadows show where it goes on. */
function scrollable(label, table, kind = "Table") {
  const box = make("div", { class: "scroll", role: "region", "aria-label": `${kind}: ${label}`, tabindex: 0 }, table);
  const frame = make("div", { class: "scroll-frame" }, box);
  const mark = () => {
    frame.classList.toggle("more-left", box.scrollLeft > 1);
    frame.classList.toggle("more-right", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  };
  box.addEventListener("scroll", mark, { passive: true });
  new ResizeObserver(mark).observe(box);
  return frame;
}
