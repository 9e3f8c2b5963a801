// SPDX-License-Identifier: BSD-3-Clause
// Marks of the stacks, as in the figures of the report, and the texts around them.
const explorerMarks = (function () {
  "use strict";
  const { drawn } = dom;
  const R = 4.6;
  const SHAPES = {
    "●": "M-4.6 0A4.6 4.6 0 1 1 4.6 0A4.6 4.6 0 1 1 -4.6 0Z",
    "■": "M-4.1 -4.1H4.1V4.1H-4.1Z",
    "▲": "M0 -5.2L5 3.8H-5Z",
    "◆": "M0 -5.6L5.6 0L0 5.6L-5.6 0Z",
    "▼": "M0 5.2L5 -3.8H-5Z",
  };
  const FONT = { "font-family": "var(--sans)", "font-size": 12.5 };

  // The mark of a stack; hollow where its number is not established or not reliable.
  function glyph(stack, x, y, hollow) {
    return drawn("path", { d: SHAPES[stack.glyph], transform: "translate(" + x + " " + y + ")", "stroke-width": 1.6,
      fill: hollow ? "var(--paper)" : stack.colour, stroke: stack.colour });
  }
  function text(said, x, y, attributes) {
    return drawn("text", { ...FONT, x, y, fill: "var(--muted)", ...attributes }, said);
  }
  const line = (x1, y1, x2, y2, colour, width, attributes) =>
    drawn("line", { x1, y1, x2, y2, stroke: colour, "stroke-width": width, ...attributes });

  // About how wide a text is, before it is drawn.
  const width = (said) => 7 * said.length;
  // Marks and names of stacks in lines; `height` is what they take.
  function legend(stacks, left, top, right) {
    const group = drawn("g", {});
    let x = left, y = top;
    stacks.forEach(function (stack) {
      const wide = 20 + width(stack.name) + 12;
      if (x > left && x + wide > right) { x = left; y += 19; }
      group.append(glyph(stack, x + R, y - R, false), text(stack.name, x + 15, y, { fill: "var(--ink)" }));
      x += wide;
    });
    return { group, height: y - top + 19 };
  }
  // Names below an axis, as many as there is room for; `places`: {at, text}.
  function below(places, y, apart) {
    const widest = Math.max(1, ...places.map((each) => width(each.text))) + 8;
    const every = Math.max(1, Math.ceil(widest / Math.max(apart, 1)));
    return places.filter((_, place) => (places.length - 1 - place) % every === 0)
      .map((each) => text(each.text, each.at, y, { "text-anchor": "middle" }));
  }
  return { glyph, text, line, legend, below, width };
})();
