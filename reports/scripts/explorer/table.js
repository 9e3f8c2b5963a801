// SPDX-License-Identifier: BSD-3-Clause
// The numbers of the figure as a table: a line for each case, a column for each stack.
const explorerTable = (function () {
  "use strict";
  const { made } = dom, END = { time: "us", ratio: "ratio", bandwidth: "mb_per_s", efficiency: "weak_efficiency" };

  const keys = (each) => [each.sizeLabel, each.processes, each.perNode, each.placement, each.groups];
  const HEADS = ["Size", "Processes", "Processes per node", "Placement", "Groups"];

  // What the file holds: the numbers as the tables of the run have them.
  function file(model) {
    const names = model.stacks.flatMap((stack) => ["", "_low", "_high"].map((end) => stack.name + "_" + END[model.view] + end));
    const head = ["operation", "bytes", "processes", "processes_per_node", "placement", "groups"];
    const verdicts = model.stacks.map((stack) => stack.name + "_verdict");
    return [[...head, ...names, ...verdicts], ...model.cases.map(function (each) {
      const own = model.stacks.map((stack) => model.number(stack, each));
      const numbers = own.flatMap((number) => (number ? [number.value, number.low, number.high] : [null, null, null]));
      const said = own.map((number) => (number ? number.said[0] : ""));
      return [each.operation, each.size, each.processes, each.perNode, each.placement, each.groups, ...numbers.map((value) => value ?? ""), ...said];
    })];
  }
  function cell(model, stack, each, open) {
    const found = made("td"), number = model.number(stack, each);
    if (!number) { found.textContent = dom.NONE; return found; }
    const said = explorerData.told(model.view, number);
    const names = { "data-key": model.key(stack, each), "aria-label": model.label(stack, each, number) };
    const press = dom.button(said.value, { class: "value", tabindex: "-1", ...names }, () => open(stack, each, press));
    found.append(press);
    if (said.interval) { found.append(made("span", said.interval, { class: "interval" })); }
    if (said.further) { found.append(made("span", said.further, { class: "interval" })); }
    if (model.view === "ratio" || !number.sure) {
      found.append(made("span", number.said[0], { class: "verdict" }));
    }
    found.className = number.sure ? "" : "doubt";
    return found;
  }
  function draw(host, model, open) {
    const table = made("table", "", { class: "times" }), { file: source, unit } = explorerData.VIEWS[model.view];
    const shown = HEADS.filter((_, place) => new Set(model.cases.map((each) => keys(each)[place])).size > 1 || place === 0);
    const address = JSON.parse(host.dataset.files)[source];
    const link = address ? made("a", source, { class: "file", href: address }) : made("span", source);
    table.createCaption().append(model.title, " ", link);
    table.createTHead().insertRow().append(...shown.map((each) => made("th", each, { scope: "col" })),
      ...model.stacks.map((stack) => made("th", stack.name + " (" + unit + ")", { scope: "col" })));
    const body = table.createTBody();
    model.cases.forEach(function (each) {
      const row = body.insertRow(), own = keys(each);
      row.append(...HEADS.flatMap((name, place) => (shown.includes(name) ? [made("th", String(own[place]), { scope: "row" })] : [])),
        ...model.stacks.map((stack) => cell(model, stack, each, open)));
    });
    downloads.table(table, () => file(model), "explorer-" + model.view + "-" + model.operation + ".csv");
    sorting.add(table);
    host.replaceChildren(table);
    dom.roving(host, "button.value", neighbour).stop();
  }
  // Arrow keys go from value to value, up and down in the column.
  function neighbour(own, key) {
    const cell_ = own.closest("td"), row = cell_.parentElement, rows = Array.from(row.parentElement.rows);
    const values = (line) => Array.from(line.querySelectorAll("button.value")), line = values(row), place = line.indexOf(own);
    if (key === "ArrowLeft" || key === "ArrowRight") { return line[place + (key === "ArrowRight" ? 1 : -1)]; }
    if (key === "Home" || key === "End") { return line.at(key === "Home" ? 0 : -1); }
    const other = rows[rows.indexOf(row) + (key === "ArrowDown" ? 1 : -1)];
    return other && (other.cells[cell_.cellIndex].querySelector("button.value") || values(other)[0]);
  }
  return { draw };
})();
