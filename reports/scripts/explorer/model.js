// SPDX-License-Identifier: BSD-3-Clause
// What is chosen → what figure and table show: the cases, in panels, with their numbers and names.
const explorerModel = (function () {
  "use strict";

  const titles = (state, operation) => ({
    time: operation + ": time (µs)",
    ratio: operation + ": time / time of " + state.against,
    bandwidth: operation + ": bandwidth (MB/s)",
    efficiency: operation + ": efficiency (%)",
  })[state.view];

  // The groups of processes of a case; empty for one group of all, as in the results.
  const groups = (each) => (each.groups === explorerState.ONE_GROUP ? "" : each.groups);
  function ordered(cases) {
    const compare = (one, other) => one.size - other.size || one.processes - other.processes || one.perNode - other.perNode ||
      one.placement.localeCompare(other.placement) || groups(one).localeCompare(groups(other));
    return [...cases].sort(compare);
  }
  // The name of a number: in the address, and on the mark and in the cell that show it.
  const key = (stack, each) => [stack.name, each.size, each.processes, each.perNode, each.placement, groups(each)]
    .filter((part) => part !== "").join(",");
  const place = (each) => (each.size ? " at " + each.sizeLabel : "") + ", " + each.point;
  function verdict(view, [word, reason]) {
    return reason ? word + ": " + reason : word;
  }
  const counted = (number) => number.launches + " of " + number.measured + (number.measured === 1 ? " launch" : " launches");

  function panels(data, state, stacks, cases, number) {
    const sizes = state.along === "size", text = sizes ? (each) => each.sizeLabel : (each) => String(each.processes);
    const value = sizes ? (each) => each.size : (each) => each.processes;
    const rising = [...cases].sort((one, other) => value(one) - value(other));
    const xs = [...new Map(rising.map((each) => [value(each), { key: value(each), text: text(each) }])).values()];
    const several = new Set(cases.map((each) => each.placement)).size > 1;
    const held = (each) => [each.size ? each.sizeLabel : "", data.oneNode ? "" : each.perNode + " per node", several ? each.placement : "",
      groups(each)];
    const heading = sizes ? (each) => each.point : (each) => held(each).filter(Boolean).join(", ");
    const found = new Map();
    cases.forEach(function (each) {
      const title = heading(each);
      if (!found.has(title)) { found.set(title, { title, xs, marks: [] }); }
      stacks.forEach(function (stack) {
        const own = number(stack, each);
        if (own) {
          const x = xs.findIndex((other) => other.key === value(each));
          found.get(title).marks.push({ stack, each, x, number: own, key: key(stack, each) });
        }
      });
    });
    return [...found.values()];
  }
  function made(data, state) {
    const operation = data.operations.find(([name]) => name === state.operation)[1];
    const wanted = data.stacks.filter((stack) => !state.stacks.length || state.stacks.includes(stack.name));
    const stacks = state.view === "ratio" ? wanted.filter((stack) => stack.name !== state.against) : wanted;
    const cases = ordered(explorerState.chosen(state, data));
    const number = (stack, each) => data.number(state.view, stack.name, each.number, state.against);
    const lines = (own) => [explorerData.told(state.view, own).whole, counted(own), verdict(state.view, own.said)];
    const label = (stack, each, own) => stack.name + ", " + operation + place(each) + ": " + lines(own).join(", ");
    const found = panels(data, state, stacks, cases, number);
    found.forEach((panel) => panel.marks.forEach((mark) => { mark.label = label(mark.stack, mark.each, mark.number); }));
    return {
      view: state.view, operation: state.operation, title: titles(state, operation), threshold: data.threshold,
      stacks, cases, number, label, key, lines, panels: found, axis: state.along === "size" ? "message size" : "processes",
      name: (stack, each) => stack.name + ": " + operation + place(each),
    };
  }
  return { made, key };
})();
