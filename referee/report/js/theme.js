// Light or dark: as the system is set, until the reader chooses. Runs before anything is drawn.

(() => {
  "use strict";
  const KEY = "referee-theme";
  const root = document.documentElement;
  const remembered = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // a browser may forbid storage
    }
  };
  if (["light", "dark"].includes(remembered())) root.dataset.theme = remembered();
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.(".theme")) return;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    try {
      localStorage.setItem(KEY, root.dataset.theme);
    } catch {
      // the choice then lasts as long as the page
    }
  });
})();
