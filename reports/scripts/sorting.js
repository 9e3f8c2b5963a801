// SPDX-License-Identifier: BSD-3-Clause
// Tables whose columns can be sorted by their headings: up, down, and as they were.
const sorting = (function () {
  "use strict";
  const UNITS = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
  const ORDERS = ["none", "ascending", "descending"];

  function text(cell) {
    if (!cell) { return ""; }
    return (cell.querySelector(".value") || cell).textContent.replaceAll(dom.GAP, "").trim();
  }
  // What a cell is sorted by: the number that it begins with, sizes in bytes; null where there is none.
  function number(said) {
    const found = /^([-−]?\d+(?:\.\d+)?)(?:\s*([KMG]iB))?/.exec(said);
    return found ? Number(found[1].replace("−", "-")) * (UNITS[found[2]] || 1) : null;
  }
  function sorted(rows, column, order) {
    const texts = new Map(rows.map((row) => [row, text(row.cells[column])]));
    const given = rows.filter((row) => !["", dom.NONE].includes(texts.get(row)));
    const numbers = new Map(given.map((row) => [row, number(texts.get(row))]));
    const numeric = given.every((row) => numbers.get(row) !== null);
    const sign = order === "ascending" ? 1 : -1;
    const words = (one, other) => texts.get(one).localeCompare(texts.get(other), "en", { numeric: true });
    const compare = numeric ? (one, other) => numbers.get(one) - numbers.get(other) : words;
    return [...given.sort((one, other) => sign * compare(one, other)), ...rows.filter((row) => !given.includes(row))];
  }
  function add(table) {
    const body = table.tBodies[0], heads = table.tHead && Array.from(table.tHead.rows).at(-1).cells;
    const plain = heads && table.tBodies.length === 1 && table.tHead.rows.length === 1 && body.rows.length > 2;
    if (!plain || table.querySelector("[rowspan], [colspan]")) { return; }
    const first = Array.from(body.rows);
    Array.from(heads).forEach(function (head, column) {
      if (!head.textContent.trim()) { return; }
      const press = dom.made("button", "", { type: "button", class: "sort" });
      press.append(...head.childNodes);
      head.append(press);
      press.addEventListener("click", function () {
        const order = ORDERS[(ORDERS.indexOf(head.getAttribute("aria-sort") || "none") + 1) % ORDERS.length];
        Array.from(heads).forEach((each) => each.removeAttribute("aria-sort"));
        if (order !== "none") { head.setAttribute("aria-sort", order); }
        body.append(...(order === "none" ? first : sorted(first, column, order)));
      });
    });
  }

  document.querySelectorAll("main table:not(.forest, .matrix, .score, .heat)").forEach(add);
  return { add };
})();
