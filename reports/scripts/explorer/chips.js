// SPDX-License-Identifier: BSD-3-Clause
// What is chosen, as chips: of some groups one, of others any, where "All" stands for the whole group.
const explorerChips = (function () {
  "use strict";
  const TITLES = {
    view: "Show", against: "Against", operation: "Operation", along: "Along", stacks: "Stacks", size: "Size",
    processes: "Processes", "per-node": "Processes per node", placement: "Placement",
    groups: "Groups of processes",
  };
  const ONE = ["view", "against", "operation", "along"];

  function names(data, group, value) {
    if (group === "view") { return explorerData.VIEWS[value].name; }
    if (group === "along") { return value === "size" ? "message size" : "processes"; }
    if (group === "operation") { return data.operations.find(([name]) => name === value)[1]; }
    return group === "size" ? data.sizes.find(([size]) => String(size) === value)[1] : value;
  }
  // The values that a group has for the chosen operation.
  function offered(state, data, group, values) {
    const own = data.cases.filter((each) => each.operation === state.operation);
    const has = {
      size: (value) => own.some((each) => String(each.size) === value),
      processes: (value) => own.some((each) => String(each.processes) === value),
      "per-node": (value) => own.some((each) => String(each.perNode) === value),
      placement: (value) => own.some((each) => each.placement === value),
      groups: (value) => own.some((each) => each.groups === value),
    }[group];
    if (group === "along") {
      const [one, other] = values.map((value) => explorerState.along(data, state.operation, value).along);
      return one === other ? [] : values;
    }
    return has ? values.filter(has) : values;
  }
  function one(state, group, value, data) {
    const changed = { ...state, [group]: value };
    const again = group === "operation" || group === "along";
    return again ? { ...changed, ...explorerState.along(data, changed.operation, changed.along) } : changed;
  }
  // The first chip after "All" chooses alone; further ones add or take away.
  function many(state, group, value) {
    const others = state[group].filter((each) => each !== value);
    const next = state[group].includes(value) ? others : [...others, value];
    return { ...state, [group]: value === "" ? [] : next };
  }

  function build(host, data, changed) {
    const groups = Object.entries(explorerState.choices(data)).filter(([, values]) => values.length > 1);
    let state = null;
    const made = groups.map(function ([group, values]) {
      const single = ONE.includes(group), id = "explorer-" + group;
      const box = dom.made("div", "", { class: "group", "data-group": group });
      const label = dom.made("span", TITLES[group], { id, class: "label" });
      const row = dom.made("div", "", { class: "row", role: single ? "radiogroup" : "toolbar", "aria-labelledby": id });
      const chips = (single ? values : ["", ...values]).map(function (value) {
        const called = value === "" ? "All" : names(data, group, value), role = single ? { role: "radio" } : {};
        const chip = dom.button(called, { class: "chip", "data-value": value, ...role }, () => changed(
          single ? one(state, group, value, data) : many(state, group, value)));
        const stack = group === "stacks" && value && data.stack(value);
        if (stack) {
          chip.prepend(dom.made("span", stack.glyph, { class: "glyph", "aria-hidden": "true", style: "color:" + stack.colour }));
        }
        return chip;
      });
      row.append(...chips);
      box.append(label, row);
      host.append(box);
      return { group, values, single, box, chips, rove: dom.roving(row, ".chip") };
    });
    function show(now) {
      state = now;
      made.forEach(function ({ group, values, single, box, chips, rove }) {
        const there = offered(state, data, group, values), chosen = single ? [state[group]] : state[group];
        box.hidden = there.length < 2 || (group === "against" && state.view !== "ratio");
        chips.forEach(function (chip) {
          const value = chip.dataset.value, on = value === "" ? !chosen.length : chosen.includes(value);
          chip.hidden = value !== "" && !there.includes(value);
          chip.setAttribute(single ? "aria-checked" : "aria-pressed", String(on));
        });
        const visible = chips.filter((chip) => !chip.hidden);
        if (!visible.includes(document.activeElement)) {
          rove.stop(visible.find((chip) => chip.matches("[aria-checked=true], [aria-pressed=true]")) || visible[0]);
        }
      });
    }
    return { show };
  }
  return { build };
})();
