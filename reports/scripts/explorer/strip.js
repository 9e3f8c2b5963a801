// SPDX-License-Identifier: BSD-3-Clause
// All launches of a row by block: what its median is the middle of, and whether blocks differ.
const explorerStrip = (function () {
  "use strict";
  const { drawn, made } = dom, { glyph, text, line, legend, below } = explorerMarks;
  const LEFT = 58, RIGHT = 12, HIGH = 230, BESIDE = 6, FAR = 6;  // from a ratio of FAR on, the scale is logarithmic

  // What the axis contains: every launch, and of an interval as much as their span on both sides; the rest is clipped.
  function contained(sides) {
    const values = sides.flatMap(({ launches }) => launches.map((each) => each.value));
    const least = Math.min(...values), most = Math.max(...values), span = most - least || 0.1 * most;
    const low = Math.max(least - span, 0.5 * least), high = most + span;
    const ends = sides.flatMap(({ number }) => [number.low, number.high]).filter(dom.known);
    return [...values, ...ends.map((end) => Math.min(Math.max(end, low), high))];
  }
  function picture(sides, wide, title) {
    const every = sides.flatMap(({ launches }) => launches);
    const blocks = [...new Set(every.map((each) => each.block))].sort((one, other) => one - other);
    const values = contained(sides);
    const log = Math.max(...values) > FAR * Math.min(...values.filter((value) => value > 0));
    const names = legend(sides.map((side) => side.stack), 2, 54, wide), top = 46 + names.height + 14, bottom = top + HIGH;
    const tall = bottom + 44, size = { viewBox: "0 0 " + wide + " " + tall, width: wide, height: tall };
    const svg = drawn("svg", { ...size, role: "img", "aria-label": title });
    const scale = explorerScale.scale(values, bottom, top, { log, wanted: 5, zero: false });
    const slot = (wide - LEFT - RIGHT) / blocks.length, at = (block) => LEFT + slot * (blocks.indexOf(block) + 0.5);
    const [first, ...rest] = title.split(", "), lines = explorerMarks.width(title) > wide ? [first, rest.join(", ")] : [title];
    lines.forEach((each, place) => svg.append(text(each, 2, 14 + 17 * place, { fill: "var(--ink)", "font-weight": 650 })));
    svg.append(names.group);
    blocks.forEach(function (block, place) {
      const box = { x: at(block) - slot / 2, y: top, width: slot, height: HIGH };
      if (place % 2) { svg.append(drawn("rect", { ...box, fill: "var(--rule)", "fill-opacity": 0.3 })); }
    });
    scale.ticks.forEach((tick) => svg.append(line(LEFT, tick.at, wide - RIGHT, tick.at, "var(--rule)", 1),
      text(tick.text, LEFT - 7, tick.at + 4, { "text-anchor": "end" })));
    sides.forEach((side, place) => svg.append(...dots(side, scale, at, slot, place - (sides.length - 1) / 2, wide)));
    svg.append(...below(blocks.map((block) => ({ at: at(block), text: String(block) })), bottom + 18, slot),
      text("block", (LEFT + wide - RIGHT) / 2, bottom + 37, { "text-anchor": "middle" }), text("µs", LEFT - 7, top - 8, { "text-anchor": "end" }));
    const clipped = sides.filter(({ number }) => number.low < scale.low || number.high > scale.high).length;
    return { svg, clipped };
  }
  // Median with the band of its interval, and a mark for each launch: those of a block beside each other.
  function dots({ stack, launches, number }, scale, at, slot, beside, wide) {
    const found = [], middle = scale.place(number.value);
    if (dom.known(number.low) && number.low !== number.high) {
      const upper = scale.place(Math.min(number.high, scale.high)), lower = scale.place(Math.max(number.low, scale.low));
      const box = { x: LEFT, y: upper, width: wide - LEFT - RIGHT, height: lower - upper };
      found.push(drawn("rect", { ...box, fill: stack.colour, "fill-opacity": 0.13 }), ...arrows(number, scale, stack.colour));
    }
    found.push(line(LEFT, middle, wide - RIGHT, middle, stack.colour, 1.5, { "stroke-dasharray": "6 3" }));
    launches.forEach(function (launch, place) {
      const own = launches.filter((each) => each.block === launch.block), number_ = own.indexOf(launch);
      const step = Math.min(2 * BESIDE, slot / (own.length + 1));
      const x = at(launch.block) + step * (number_ - (own.length - 1) / 2) + beside * Math.min(BESIDE, slot / 4);
      const mark = glyph(stack, Number(x.toFixed(2)), scale.place(launch.value), launch.verdict !== "ok");
      mark.append(drawn("title", {}, dom.significant(launch.value, 4) + " µs, block " + launch.block + ", " + launch.verdict));
      found.push(mark);
    });
    return found;
  }
  // At the left of a band that goes beyond the axis.
  function arrows({ low, high }, scale, colour) {
    const top = scale.place(scale.high), bottom = scale.place(scale.low), x = 10 + LEFT;
    const style = { fill: "none", stroke: colour, "stroke-width": 2 };
    const arrow = (edge, back) => drawn("path", { d: explorerScale.arrow(x, edge, back), ...style });
    return [...(high > scale.high ? [arrow(top, 6)] : []), ...(low < scale.low ? [arrow(bottom, -6)] : [])];
  }
  function counted(side) {
    const values = side.launches.map((each) => each.value);
    const count = (number, one, several) => number + " " + (number === 1 ? one : several);
    const bad = side.launches.filter((each) => each.verdict !== "ok").length;
    const blocks = count(new Set(side.launches.map((each) => each.block)).size, "block", "blocks");
    const range = [Math.min(...values), Math.max(...values)].map((each) => dom.significant(each)).join(" to ");
    return side.stack.name + ": " + count(values.length, "launch", "launches") + " in " + blocks + ", " + range + " µs" +
      (bad ? "; " + bad + " not ok (hollow)" : "") + ".";
  }
  const head = (row) => row.map((each) => made("th", each, { scope: "col" }));
  // The launches as numbers.
  function numbers(sides) {
    const table = made("table", "", { class: "plain" }), body = table.createTBody();
    table.createCaption().textContent = "Launches by block, times in µs";
    table.createTHead().insertRow().append(...head(["Stack", "Block", "Median (µs)", "Verdict"]));
    const rows = sides.flatMap(({ stack, launches }) => launches.map((each) => [stack.name, each.block, each.value, each.verdict]));
    rows.forEach(function ([stack, ...cells]) {
      const row = body.insertRow();
      row.append(made("th", stack, { scope: "row" }), ...cells.map((each) => made("td", String(each))));
    });
    downloads.table(table, () => [["stack", "block", "median_us", "verdict"], ...rows], "launches-by-block.csv");
    sorting.add(table);
    const fold = made("details"), label = { role: "region", tabindex: "0", "aria-label": "Launches by block" };
    const region = made("div", "", { class: "scroll tall", ...label });
    region.append(table);
    fold.append(made("summary", "The launches as numbers"), region);
    return fold;
  }
  // `sides`: {stack, number, launches} of the row, and of the stack that it is set against.
  function show(host, sides, title, close) {
    const panel = [made("h3", title, { tabindex: "-1" }), dom.button("Close", { class: "close" }, close)];
    const known = sides.filter((side) => side.launches.length);
    host.hidden = false;  // so that it has a width
    if (known.length) {
      const figure = made("figure", "", { class: "drawn", id: "explorer-launches" }), caption = made("figcaption");
      const { svg, clipped } = picture(known, Math.max(300, Math.floor(host.clientWidth - 34)), title);
      caption.append(known.map(counted).join(" ") + " Dashed: the median of the launches; the band is its interval." +
        explorerScale.clipped(clipped));
      figure.append(svg, caption);
      downloads.figure(figure, () => "launches");
      panel.push(figure, numbers(known));
    } else {
      panel.push(made("p", "The launches of this row are not in this page, which has room for some only: see store/measurements.parquet."));
    }
    host.replaceChildren(...panel);
  }
  return { show };
})();
