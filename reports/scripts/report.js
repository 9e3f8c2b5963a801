// SPDX-License-Identifier: BSD-3-Clause
// Theme, links into folds, and filter. The report is whole without them.
(function () {
  "use strict";
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const themes = ["automatic", "light", "dark"];
  function stored() {
    try { return localStorage.getItem("isochron-theme") || "automatic"; } catch { return "automatic"; }
  }
  function show(theme) {
    if (theme === "automatic") { root.removeAttribute("data-theme"); } else { root.setAttribute("data-theme", theme); }
    button.textContent = "Theme: " + theme;
    button.value = theme;
  }
  button.hidden = false;
  show(stored());
  button.addEventListener("click", function () {
    const next = themes[(themes.indexOf(button.value) + 1) % themes.length];
    try { localStorage.setItem("isochron-theme", next); } catch { /* a file without storage */ }
    show(next);
  });

  // A link into what is folded unfolds it, also where the browser does not do so itself.
  function unfold() {
    let each = document.getElementById(location.hash.slice(1));
    for (; each; each = each.parentElement) {
      if (each.tagName === "DETAILS") { each.open = true; }
    }
  }
  addEventListener("hashchange", unfold);
  unfold();

  // On paper nothing is folded; afterwards it is again.
  let folded = [];
  addEventListener("beforeprint", function () {
    folded = Array.from(document.querySelectorAll("details:not([open])"));
    folded.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((each) => { each.open = false; }));

  const field = document.getElementById("filter");
  if (!field) { return; }  // the rows are on a page of their own
  const rows = Array.from(document.querySelectorAll("#all-rows tbody tr"));
  const plain = (text) => text.toLowerCase().replace(/\s/g, " ");
  const texts = rows.map((row) => plain(Array.from(row.cells, (cell) => cell.textContent).join(" ")));
  function filter() {
    const words = plain(field.value).split(" ").filter(Boolean);
    let shown = 0;
    rows.forEach(function (row, index) {
      row.hidden = !words.every((word) => texts[index].includes(word));
      if (!row.hidden) { shown += 1; }
    });
    document.getElementById("filter-count").textContent = shown + " of " + rows.length + " rows";
  }
  field.addEventListener("input", filter);
  filter();
})();
