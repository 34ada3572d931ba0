// A table that is sorted by a click or a key on a column heading.

/**
 * columns: [{title, cell(row) → element or text, value(row) → what to sort by, number, first, wide}]
 * A column without `value` does not sort.
 */
function sortableTable(caption, columns, rows, sorted) {
  let { column, descending } = sorted ?? { column: null, descending: false };
  const head = make("tr");
  const body = make("tbody");
  const table = make("table", null, make("caption", { class: "visually-hidden" }, caption), make("thead", null, head), body);

  function sortBy(index) {
    // Numbers are looked at from the largest down, names from A on.
    descending = column === index ? !descending : Boolean(columns[index].number && !columns[index].ascending);
    column = index;
    show();
  }

  function show() {
    columns.forEach((one, index) => {
      const state = index === column ? (descending ? "descending" : "ascending") : null;
      if (state) head.children[index].setAttribute("aria-sort", state);
      else head.children[index].removeAttribute("aria-sort");
    });
    const ordered = column === null ? rows : sortRows(rows, columns[column].value, descending);
    body.replaceChildren(...ordered.map((row) => tableRow(columns, row)));
  }

  columns.forEach((one, index) => head.append(heading(one, () => sortBy(index))));
  show();
  return table;
}

function heading(column, onsort) {
  const text = column.title;
  const content = column.value ? make("button", { type: "button", class: "sort", onclick: onsort }, text) : text;
  return make("th", { scope: "col", class: classOf(column) }, content);
}

function tableRow(columns, row) {
  return make(
    "tr",
    { class: row.className },
    columns.map((column) =>
      make(column.first ? "th" : "td", { class: classOf(column), scope: column.first ? "row" : null }, column.cell(row))
    )
  );
}

function classOf(column) {
  const names = [column.number && "number", column.first && "first", column.className].filter(Boolean);
  return names.join(" ") || null;
}

/** A sorted copy; what has no value stands last either way. */
function sortRows(rows, value, descending) {
  const direction = descending ? -1 : 1;
  const keyed = rows.map((row, place) => ({ row, place, key: value(row) }));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null) || a.place - b.place;
    const order = typeof a.key === "string" ? a.key.localeCompare(b.key) : a.key - b.key;
    return order * direction || a.place - b.place;
  });
  return keyed.map(({ row }) => row);
}
