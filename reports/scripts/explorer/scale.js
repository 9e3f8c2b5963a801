// SPDX-License-Identifier: BSD-3-Clause
// Axes: where a number stands, and which numbers are written beside it.
const explorerScale = (function () {
  "use strict";

  // Round numbers from low to high, about `wanted` of them.
  function evenly(low, high, wanted) {
    const rough = (high - low) / wanted || 1, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
    const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => Number(((first + place) * step).toPrecision(12)));
  }
  // 1, 2 and 5 times powers of ten, fewer where there are many, evenly where there are too few.
  function logarithmic(low, high, wanted) {
    const first = Math.floor(Math.log10(low)), count = Math.ceil(Math.log10(high)) - first + 1;
    const powers = Array.from({ length: count }, (_, place) => first + place);
    const inside = (value) => value >= low * 0.9999 && value <= high * 1.0001;
    const fine = powers.flatMap((power) => [1, 2, 5].map((each) => Number((each * 10 ** power).toPrecision(12)))).filter(inside);
    if (fine.length < 2) { return evenly(low, high, wanted); }
    if (fine.length <= wanted + 2) { return fine; }
    const decades = powers.map((power) => Number((10 ** power).toPrecision(12))).filter(inside);
    return decades.filter((_, place) => place % Math.ceil(decades.length / (wanted + 1)) === 0);
  }
  function text(value) {
    const absolute = Math.abs(value);
    if (absolute >= 1e7 || (absolute && absolute < 1e-4)) { return value.toExponential(0); }
    return absolute >= 10000 ? dom.fixed(value, 0) : String(value);
  }
  // `place`: number → pixels between `from` (low) and `to` (high); `ticks`: {at, text}, the numbers written `times` as large.
  // `narrowest`: the least span of a logarithmic axis, as a logarithm.
  function scale(numbers, from, to, { log, wanted, zero, times = 1, narrowest = 0.05 }) {
    const found = numbers.filter((value) => dom.known(value) && (!log || value > 0));
    let low = Math.min(...found), high = Math.max(...found);
    if (!found.length) { [low, high] = log ? [1, 10] : [0, 1]; }
    if (zero) { low = Math.min(0, low); }
    const apart = log ? Math.log(high / low) : high - low, least = log ? narrowest : Math.abs(high) * 0.02 || 1;
    const room = Math.max(0.06 * apart, (least - apart) / 2);
    if (log) { low /= Math.exp(room); high *= Math.exp(room); } else { low = zero && low === 0 ? 0 : low - room; high += room; }
    const along = log ? (value) => Math.log(value / low) / Math.log(high / low) : (value) => (value - low) / (high - low);
    const place = (value) => Number((from + (to - from) * along(value)).toFixed(2));
    const values = (log ? logarithmic : evenly)(low * times, high * times, wanted);
    return { place, low, high, ticks: values.map((value) => ({ at: place(value / times), text: text(value) })) };
  }
  // What an axis contains of medians and their intervals, {value, low, high}: every median, and an interval as far as
  // three median half widths from it (the lower of both medians), as in postprocess/subjects/answer/forest.py.
  function bulk(numbers, log) {
    const along = log ? Math.log : (value) => value, back = log ? Math.exp : (value) => value;
    const ends = numbers.filter(({ value }) => dom.known(value) && (!log || value > 0)).flatMap(({ value, low, high }) =>
      [low, high].filter((end) => dom.known(end) && (!log || end > 0)).map((end) => [along(value), along(end) - along(value)]));
    const widths = ends.map(([, width]) => Math.abs(width)).filter((width) => width > 0).sort((one, other) => one - other);
    const reach = 3 * (widths[Math.floor((widths.length - 1) / 2)] || 0);
    const inside = ([value, width]) => back(value + Math.min(Math.max(width, -reach), reach));
    return [...numbers.map(({ value }) => value), ...ends.map(inside)];
  }
  // Its point is at the edge of the axis; `back`: how far its ends are from there.
  const arrow = (x, edge, back) =>
    "M" + (x - 4) + " " + (edge + back) + "L" + x + " " + edge + "L" + (x + 4) + " " + (edge + back);
  // An interval from low to high at x, as far as it is on the axis between top and bottom, with an arrow where it goes on.
  function range(scale, { low, high }, x, { top, bottom }, colour) {
    const cut = (place) => Math.min(Math.max(place, top), bottom), parts = [];
    const [from, to] = [scale.place(low), scale.place(high)];
    parts.push("M" + x + " " + cut(from) + "V" + cut(to));
    if (from > bottom + 0.01) { parts.push(arrow(x, bottom, -6)); }
    if (to < top - 0.01) { parts.push(arrow(x, top, 6)); }
    const style = { fill: "none", stroke: colour, "stroke-width": 2, "stroke-opacity": 0.8 };
    return { path: dom.drawn("path", { class: "range", d: parts.join(""), ...style }), clipped: parts.length > 1 };
  }
  const clipped = (count) => (count === 0 ? ""
    : (count === 1 ? " 1 interval goes" : " " + count + " intervals go") + " beyond the plot (arrow): the table has the numbers.");
  return { scale, bulk, range, arrow, clipped };
})();
