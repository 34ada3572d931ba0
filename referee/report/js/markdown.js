// Pages of rules: of Markdown, the parts that occur there.

/** Elements of a text: headings, lists, code, tables, paragraphs. Text never becomes markup. */
function markdown(text) {
  const parts = [];
  const lines = text.split("\n");
  while (lines.length) {
    const line = lines.shift();
    if (line.startsWith("```")) {
      const code = takeWhile(lines, (one) => !one.startsWith("```"));
      lines.shift();
      parts.push(make("pre", { class: "code" }, code.join("\n")));
    } else if (/^#+ /.test(line)) {
      const level = line.indexOf(" ");
      if (level > 1) parts.push(make(level === 2 ? "h2" : "h3", null, ...inline(line.slice(level + 1))));
    } else if (line.startsWith("|")) {
      const rows = [line, ...takeWhile(lines, (one) => one.startsWith("|"))];
      parts.push(markdownTable(rows));
    } else if (/^(- |\d+\. )/.test(line)) {
      const items = [line, ...takeWhile(lines, (one) => /^(- |\d+\. |  )/.test(one))];
      const texts = items.reduce((all, one) => (one.startsWith("  ") ? [...all.slice(0, -1), `${all.at(-1)} ${one.trim()}`] : [...all, one.replace(/^(- |\d+\. )/, "")]), []);
      parts.push(make(line.startsWith("- ") ? "ul" : "ol", null, texts.map((item) => make("li", null, ...inline(item)))));
    } else if (line.trim()) {
      const rest = takeWhile(lines, (one) => one.trim() && !/^(```|#|\||- )/.test(one));
      parts.push(make("p", null, ...inline([line, ...rest].join(" "))));
    }
  }
  return parts;
}

function takeWhile(lines, isWanted) {
  const end = lines.findIndex((line) => !isWanted(line));
  return lines.splice(0, end < 0 ? lines.length : end);
}

function markdownTable([head, , ...rows]) {
  const cells = (row) => row.replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const table = make(
    "table",
    null,
    make("thead", null, make("tr", null, cells(head).map((cell) => make("th", { scope: "col" }, ...inline(cell))))),
    make("tbody", null, rows.map((row) => make("tr", null, cells(row).map((cell) => make("td", null, ...inline(cell))))))
  );
  return scrollable("Rules", table);
}

/** Code, bold text, and links as their text alone: they lead to files that are not here. */
function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/).map((part) => {
    if (/^`.+`$/.test(part)) return make("code", null, part.slice(1, -1));
    if (/^\*\*.+\*\*$/.test(part)) return make("b", null, ...inline(part.slice(2, -2)));
    return part.replace(/^\[([^\]]+)\]\([^)]+\)$/, "$1");
  });
}
