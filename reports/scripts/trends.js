// SPDX-License-Identifier: BSD-3-Clause
// Values over runs: small charts in tables and large ones with axes, of what postprocess/site/trends.py has put into
// the page. A solid upright: levels change with this run; a dotted one: something else is not as in the run before.
(function () {
  "use strict";
  const { drawn } = dom;
  const SMALL = { wide: 180, high: 34, left: 4, right: 4, top: 4, bottom: 4 };
  const LARGE = { wide: 720, high: 210, left: 62, right: 12, top: 14, bottom: 26 };
  const NARROWEST = Math.log(1.1), MOST_CIRCLES = 120;
  const shared = document.getElementById("over"), over = shared ? JSON.parse(shared.textContent) : { names: [], events: {} };

  // Runs from left to right, values from below to above by their logarithms.
  function frame(chart, size) {
    const left = size.left, right = size.wide - size.right, top = size.top, bottom = size.high - size.bottom;
    const numbers = chart.lines.flatMap((line) => [...line.values, ...(line.levels || []).map((level) => level[2])]);
    const scale = explorerScale.scale(numbers, bottom, top, { log: true, wanted: 4, narrowest: NARROWEST });
    const along = (run) => (chart.runs > 1 ? left + (right - left) * run / (chart.runs - 1) : (left + right) / 2);
    return { x: (run) => Number(along(run).toFixed(1)), y: scale.place, ticks: scale.ticks, left, right, top, bottom };
  }
  const points = (line) => line.values.map((value, place) => [line.at ? line.at[place] : place, value]);
  const path = (kind, d, title) => {
    const found = drawn("path", { class: kind, d });
    if (title) { found.append(drawn("title", {}, title)); }
    return found;
  };
  const dots = (box, line) => path("dots", points(line).map(([run, value]) => "M" + box.x(run) + " " + box.y(value) + "h0").join(""));
  function levels(box, line) {
    const ends = ([first, after]) => [Math.max(box.left - 3, box.x(first - 0.4)), Math.min(box.right + 3, box.x(after - 0.6))];
    const parts = (line.levels || []).map(function (level) {
      const [begin, end] = ends(level);
      return "M" + begin + " " + box.y(level[2]) + "H" + end;
    });
    return parts.length ? [path("levels", parts.join(""))] : [];
  }
  const uprights = (box, kind, said, above) => Object.entries(said || {})
    .map(([run, title]) => path(kind, "M" + box.x(run - 0.5) + " " + (box.top - above) + "V" + box.bottom, title));

  function circles(box, line, unit) {
    return points(line).map(function ([run, value]) {
      const circle = drawn("circle", { class: "dot", cx: box.x(run), cy: box.y(value), r: 3 });
      circle.append(drawn("title", {}, over.names[run] + ": " + dom.significant(value) + " " + unit));
      return circle;
    });
  }
  function course(box, line) {
    const places = points(line).map(([run, value]) => box.x(run) + " " + box.y(value));
    return places.length > 1 ? path("line series-" + (line.series || 0), "M" + places.join("L")) : dots(box, line);
  }
  // `2026-11-22` of a run's name, or the name itself.
  const day = (name) => (/^\d{8}/.test(name) ? [name.slice(0, 4), name.slice(4, 6), name.slice(6, 8)].join("-") : name);
  // The first run and the last, and some between.
  function dates(box) {
    const last = over.names.length - 1, shares = last > 3 ? [0, 0.25, 0.5, 0.75, 1] : [0, 1];
    return [...new Set(shares.map((share) => Math.round(share * last)))].map(function (run) {
      const anchor = last === 0 ? "middle" : run === 0 ? "start" : run === last ? "end" : "middle";
      return drawn("text", { x: box.x(run), y: LARGE.high - 6, "text-anchor": anchor }, day(over.names[run]));
    });
  }
  function axis(box, unit) {
    return box.ticks.flatMap((tick) => [
      path("grid", "M" + box.left + " " + tick.at + "H" + box.right),
      drawn("text", { x: box.left - 6, y: tick.at + 4, "text-anchor": "end" }, tick.text + " " + unit)]);
  }
  function small(chart) {
    const box = frame(chart, SMALL), [line] = chart.lines, edges = { ...box, top: 0, bottom: SMALL.high };
    return [...uprights(edges, "changes", chart.marks, 0), dots(box, line), ...levels(box, line)];
  }
  function large(chart) {
    const box = frame(chart, LARGE), several = chart.lines.length > 1;
    const found = [...axis(box, chart.unit), ...dates(box), ...uprights(box, "events", over.events, 8),
      ...uprights(box, "changes", chart.marks, 8)];
    chart.lines.forEach(function (line) {
      const values = several ? [course(box, line)] : line.values.length > MOST_CIRCLES ? [dots(box, line)] : circles(box, line, chart.unit);
      found.push(...values, ...levels(box, line));
    });
    return found;
  }
  document.querySelectorAll("[data-trend]").forEach(function (host) {
    const chart = JSON.parse(host.dataset.trend), big = host.classList.contains("chart"), size = big ? LARGE : SMALL;
    const svg = drawn("svg", { viewBox: "0 0 " + size.wide + " " + size.high, "aria-hidden": "true" });
    svg.append(...(big ? large(chart) : small(chart)));
    host.append(svg);
  });
})();
