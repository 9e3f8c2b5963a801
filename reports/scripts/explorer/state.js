// SPDX-License-Identifier: BSD-3-Clause
// What is chosen in the explorer, and the same as the address's fragment: `#explorer?view=ratio&operation=bcast`.
const explorerState = (function () {
  "use strict";
  const PREFIX = "#explorer?", ALL = "all", ONE_GROUP = "one group";
  const ONE = ["view", "against", "operation", "along"], MANY = ["stacks", "size", "processes", "per-node", "placement", "groups"];

  const distinct = (values) => [...new Set(values)];
  const ascending = (values) => distinct(values).sort((one, other) => one - other).map(String);
  // Every value that a choice may have. What may be chosen of MANY is chosen whole where it is an empty list.
  function choices(data) {
    return {
      view: data.views,
      against: data.stacks.map((stack) => stack.name),
      operation: data.operations.map(([name]) => name),
      along: ["size", "processes"],
      stacks: data.stacks.map((stack) => stack.name),
      size: data.sizes.map(([size]) => String(size)),
      processes: ascending(data.cases.map((each) => each.processes)),
      "per-node": data.oneNode ? [] : ascending(data.cases.map((each) => each.perNode)),
      placement: distinct(data.cases.map((each) => each.placement)),
      groups: distinct(data.cases.map((each) => each.groups)),
    };
  }
  const several = (data, operation, name) => distinct(
    data.cases.filter((each) => each.operation === operation).map((each) => each[name])).length > 1;

  // The axis, and what the other one is held at, as suits an operation: one panel to begin with.
  function along(data, operation, wanted) {
    const can = { size: several(data, operation, "size"), processes: several(data, operation, "processes") };
    const axis = wanted === "processes" ? (can.processes || !can.size) : !can.size && can.processes;
    const own = choices(data), sizes = own.size.filter((size) => data.cases.some(
      (each) => each.operation === operation && String(each.size) === size));
    return axis ? { along: "processes", processes: [], size: sizes.length > 1 ? sizes.slice(-1) : [] }
      : { along: "size", size: [], processes: can.processes ? own.processes.slice(-1) : [] };
  }
  function initial(data) {
    const names = data.operations.map(([name]) => name);
    const operation = names.find((name) => several(data, name, "size")) || names[0];
    return { view: "time", against: data.against, operation, stacks: [], "per-node": [], placement: [],
      groups: choices(data).groups.length > 1 ? [ONE_GROUP] : [], open: "",
      ...along(data, operation, "size") };
  }
  function read(fragment, data) {
    const state = initial(data);
    if (!fragment.startsWith(PREFIX)) { return state; }
    const given = new URLSearchParams(fragment.slice(PREFIX.length)), allowed = choices(data);
    ONE.filter((name) => allowed[name].includes(given.get(name))).forEach((name) => { state[name] = given.get(name); });
    Object.assign(state, along(data, state.operation, given.get("along") || "size"));
    MANY.filter((name) => given.has(name)).forEach(function (name) {
      const found = given.get(name).split(",").filter((value) => allowed[name].includes(value));
      if (found.length || given.get(name) === ALL) { state[name] = found; }
    });
    state.open = given.get("open") || "";
    return state;
  }
  // Only what differs from how the explorer begins.
  function written(state, data) {
    const usual = { ...initial(data), ...along(data, state.operation, state.along) }, found = new URLSearchParams();
    const begins = { ...initial(data), along: along(data, state.operation, "size").along };
    ONE.filter((name) => state[name] !== begins[name]).forEach((name) => found.set(name, state[name]));
    MANY.filter((name) => String(state[name]) !== String(usual[name]))
      .forEach((name) => found.set(name, state[name].join(",") || ALL));
    if (state.open) { found.set("open", state.open); }
    return PREFIX + found.toString().replaceAll("%2C", ",");
  }
  // The cases that are chosen.
  function chosen(state, data) {
    const fits = (name, value) => !state[name].length || state[name].includes(String(value));
    return data.cases.filter((each) => each.operation === state.operation && fits("size", each.size) &&
      fits("processes", each.processes) && fits("per-node", each.perNode) && fits("placement", each.placement) &&
      fits("groups", each.groups));
  }
  return { PREFIX, ONE_GROUP, choices, along, read, written, chosen };
})();
