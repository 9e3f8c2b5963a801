// SPDX-License-Identifier: BSD-3-Clause
// The figure: a panel for each point (or size), all on one scale; medians with their intervals, a line for each stack.
const explorerChart = (function () {
  "use strict";
  const { drawn } = dom, { glyph, text, line, legend, below, width } = explorerMarks;
  const LEFT = 54, RIGHT = 14, GAP_BELOW = 46, GAP_ABOVE = 26, DODGE = 7;
  const MOST = 12;  // panels

  function measures(count, wide) {
    const columns = wide >= 860 && count > 2 ? 3 : wide >= 560 && count > 1 ? 2 : 1;
    return { columns, high: count === 1 ? Math.max(250, Math.min(360, 0.44 * wide)) : 190 };
  }
  // Where the marks of a panel stand; marks in one place are set beside each other.
  function spread(panel, stacks, left, right) {
    const slot = (right - left) / panel.xs.length, step = Math.min(DODGE, slot / (stacks.length + 1));
    const at = (x) => left + slot * (x + 0.5);
    const centre = (stacks.length - 1) / 2;
    return { slot, at, of: (mark) => Number((at(mark.x) + step * (stacks.indexOf(mark.stack) - centre)).toFixed(2)) };
  }
  function axes(group, panel, box, scale, spreadOut, model) {
    const { left, right, top, bottom } = box;
    scale.ticks.forEach((tick) => group.append(
      line(left, tick.at, right, tick.at, "var(--rule)", 1),
      text(tick.text, left - 7, tick.at + 4, { "text-anchor": "end" })));
    if (model.view === "ratio") { reference(group, box, scale, model); }
    group.append(line(left, bottom, right, bottom, "var(--muted)", 1));
    group.append(...below(panel.xs.map((each, place) => ({ at: spreadOut.at(place), text: each.text })), bottom + 18, spreadOut.slot));
    if (panel.title) { group.append(text(panel.title, left, top - 9, { fill: "var(--ink)", "font-weight": 600 })); }
  }
  // What is compared with stands at 1; within the band a difference does not matter in practice.
  function reference(group, box, scale, model) {
    const band = [1 + model.threshold, 1 / (1 + model.threshold)].map(scale.place);
    group.append(
      drawn("rect", { x: box.left, width: box.right - box.left, y: band[0], height: band[1] - band[0], fill: "var(--rule)",
        "fill-opacity": 0.55 }),
      line(box.left, scale.place(1), box.right, scale.place(1), "var(--ink)", 1.2));
  }
  function curve(marks, place, spreadOut) {
    const points = [...marks].sort((one, other) => one.x - other.x)
      .map((mark) => spreadOut.of(mark) + " " + place(mark.number.value));
    const colours = { fill: "none", stroke: marks[0].stack.colour, "stroke-width": 1.5, "stroke-opacity": 0.55 };
    return drawn("path", { d: "M" + points.join("L"), ...colours });
  }
  function marked(mark, x, scale, box) {
    const y = scale.place(mark.number.value), { low, high } = mark.number, { colour } = mark.stack;
    let clipped = false;
    const group = drawn("g", { class: "mark", tabindex: "-1", role: "button", "aria-label": mark.label, "data-key": mark.key });
    group.append(drawn("circle", { class: "ring", cx: x, cy: y, r: 10, fill: "none", stroke: "none", "stroke-width": 2 }));
    if (dom.known(low) && dom.known(high) && low !== high) {
      const range = explorerScale.range(scale, mark.number, x, box, colour);
      group.append(range.path);
      clipped = range.clipped;
    }
    group.append(glyph(mark.stack, x, y, !mark.number.sure));
    return { ...mark, element: group, at: [x, y], clipped };
  }
  function panelOf(svg, panel, box, scale, model) {
    const group = drawn("g", {}), spreadOut = spread(panel, model.stacks, box.left, box.right);
    axes(group, panel, box, scale, spreadOut, model);
    const by = model.stacks.map((stack) => panel.marks.filter((mark) => mark.stack === stack && dom.known(mark.number.value)));
    by.filter((marks) => marks.length > 1 && panel.xs.length > 1).forEach((marks) => group.append(curve(marks, scale.place, spreadOut)));
    const all = by.flat().filter((mark) => model.view === "efficiency" || mark.number.value > 0)
      .map((mark) => marked(mark, spreadOut.of(mark), scale, box));
    group.append(...all.map((mark) => mark.element));
    svg.append(group);
    return all;
  }
  // The figure as SVG with one unit a pixel, and its marks with the places where they stand.
  function draw(model, wide) {
    const panels = model.panels.slice(0, MOST), { columns, high } = measures(panels.length, wide);
    const { log, times } = explorerData.VIEWS[model.view], rows = Math.ceil(panels.length / columns);
    const names = legend(model.stacks, 2, 44, wide), head = 36 + names.height + 8;
    const tall = head + rows * (GAP_ABOVE + high + GAP_BELOW);
    const svg = drawn("svg", { viewBox: "0 0 " + wide + " " + tall, width: wide, height: tall, role: "group", "aria-label": model.title });
    const size = width(model.title) > wide ? 13 : 15;
    svg.append(text(model.title, 2, 16, { fill: "var(--ink)", "font-weight": 650, "font-size": size }), names.group);
    const numbers = explorerScale.bulk(panels.flatMap((panel) => panel.marks).map(({ number }) => number), log);
    if (model.view === "ratio") { numbers.push(1 + model.threshold, 1 / (1 + model.threshold)); }
    const marks = panels.flatMap(function (panel, place) {
      const each = wide / columns, column = place % columns;
      const top = head + Math.floor(place / columns) * (GAP_ABOVE + high + GAP_BELOW) + GAP_ABOVE;
      const box = { left: column * each + LEFT, right: (column + 1) * each - RIGHT, top, bottom: top + high };
      const scale = explorerScale.scale(numbers, box.bottom, box.top, { log, times, wanted: high > 220 ? 7 : 4, zero: !log });
      const own = panelOf(svg, panel, box, scale, model).map((mark) => ({ ...mark, panel: place }));
      const last = Math.floor(place / columns) === rows - 1 || place + columns >= panels.length;
      if (last) { svg.append(text(model.axis, (box.left + box.right) / 2, box.bottom + 38, { "text-anchor": "middle" })); }
      return own;
    });
    const clipped = marks.filter((mark) => mark.clipped).length;
    return { svg, marks, hidden: model.panels.length - panels.length, clipped };
  }
  return { draw };
})();
