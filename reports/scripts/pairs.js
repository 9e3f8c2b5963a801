// SPDX-License-Identifier: BSD-3-Clause
// Any two stacks: heat map and forest plot, with the marks of templates/answer/parts.html.j2.
(function () {
  "use strict";
  const source = document.getElementById("pairs-data");
  if (!source) { return; }  // two stacks: there is nothing to choose
  const data = JSON.parse(source.textContent);
  const from = document.getElementById("choose-from"), to = document.getElementById("choose-to");
  const STEPS = [1.05, 1.2, 1.5, 2], HALF_WIDTHS = 3;
  const MARKS = [1.02, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5, 1.7, 2, 2.5, 3, 4, 5, 7,
    10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000];
  const turned = { slower: "faster", faster: "slower", "not-slower": "not-faster", "not-faster": "not-slower" };
  const styles = { inconclusive: "open", "not-slower": "bounded", "not-faster": "bounded", depends: "depends" };

  const { made, drawn } = dom, digits = dom.significant;

  // Every comparison of two stacks, the second against the first: the data have each pair once.
  function rows(one, other) {
    const key = data.pairs[one + " " + other], back = data.pairs[other + " " + one];
    const found = key || back || [];
    return found.map(function ([place, ratio, low, high, least, verdict]) {
      const inverse = (value) => (value ? 1 / value : null);
      const case_ = data.cases[place];
      return key ? { case_, ratio, low, high, least, verdict } : {
        case_, ratio: inverse(ratio), low: inverse(high), high: inverse(low), least: inverse(least),
        verdict: turned[verdict] || verdict };
    });
  }
  function heat(all, point, caption) {
    const own = all.filter((row) => row.case_[2] === point);
    const operations = [...new Set(own.map((row) => row.case_[0]))], sizes = [...new Set(own.map((row) => row.case_[1]))];
    const table = made("table", "", { class: "heat" }), head = table.createTHead().insertRow();
    table.createCaption().textContent = caption + ", " + point;
    head.append(made("th", "Operation", { scope: "col" }), ...sizes.map((size) => made("th", size, { scope: "col" })));
    const body = table.createTBody();
    operations.forEach(function (operation) {
      const line = body.insertRow();
      line.append(made("th", operation, { scope: "row" }));
      sizes.forEach(function (size) {
        const row = own.find((each) => each.case_[0] === operation && each.case_[1] === size), cell = line.insertCell();
        if (!row) { return; }
        const depth = STEPS.filter((step) => Math.abs(Math.log(row.ratio || 1)) >= Math.log(step)).length;
        cell.textContent = digits(row.ratio);
        cell.className = "shade" + (row.ratio > 1 ? depth : -depth) + (styles[row.verdict] ? " " + styles[row.verdict] : "");
        if (styles[row.verdict]) { cell.append(made("span", " (" + row.verdict + ")", { class: "hidden" })); }
        cell.title = "[" + digits(row.low) + "; " + digits(row.high) + "], " + row.verdict;
      });
    });
    const region = made("div", "", { class: "scroll", role: "region", tabindex: "0", "aria-label": caption + ", " + point });
    region.append(table);
    return region;
  }
  // Ends of the axis as logarithms, by the rule of postprocess/subjects/answer/forest.py.
  function limits(known, threshold) {
    const widths = known.flatMap(({ at, begin, end }) => [at - begin, end - at]).filter(isFinite).sort((one, other) => one - other);
    const reach = widths.length ? HALF_WIDTHS * widths[Math.floor((widths.length - 1) / 2)] : 0;
    const outwards = (end) => Math.log(MARKS.find((mark) => Math.log(mark) >= end * (1 - 1e-9)) || Math.exp(end));
    const low = Math.min(-2 * threshold, ...known.map(({ at, begin }) => Math.max(begin, at - reach)));
    const high = Math.max(2 * threshold, ...known.map(({ at, end }) => Math.min(end, at + reach)));
    return [-outwards(-low), outwards(high)];
  }
  // What is shown at least comes first, as in the answer.
  function ranked(all) {
    const log = (value, unknown) => (value ? Math.log(value) : unknown);
    return all.filter((row) => row.ratio).sort((one, other) => other.least - one.least || other.ratio - one.ratio)
      .map((row) => ({ ...row, at: log(row.ratio), begin: log(row.low, -Infinity), end: log(row.high, Infinity) }));
  }
  function forest(all) {
    const known = ranked(all), threshold = Math.log(1 + data.threshold), [low, high] = limits(known, threshold);
    const place = (log) => (3 + 94 * (Math.min(Math.max(log, low), high) - low) / (high - low)).toFixed(2);
    const table = made("table", "", { class: "forest" }), body = table.createTBody(), begin = place(-threshold);
    const points = new Set(data.cases.map((each) => each[2])).size;
    known.forEach(function (row) {
      const line = body.insertRow(), svg = drawn("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
      line.className = styles[row.verdict] || "";
      svg.append(
        drawn("rect", { class: "band", x: begin, y: 0, width: (place(threshold) - begin).toFixed(2), height: 10 }),
        drawn("path", { class: "one", d: "M" + place(0) + " 0V10" }),
        drawn("path", { class: "range", d: "M" + place(row.begin) + " 5H" + place(row.end) }),
        drawn("path", { class: "at", d: "M" + place(row.at) + " 1V9" }));
      if (row.begin < low) { svg.append(drawn("path", { class: "arrow", d: "M3 2L0.5 5L3 8" })); }
      if (row.end > high) { svg.append(drawn("path", { class: "arrow", d: "M97 2L99.5 5L97 8" })); }
      const [operation, size, point] = row.case_;
      line.append(made("th", operation + (size === "–" ? "" : " at " + size) + (points > 1 ? ", " + point : ""), { scope: "row" }));
      const cell = made("td", "", { class: "plot" }), value = made("td", "");
      cell.append(svg);
      value.append(made("strong", digits(row.ratio) + "×"), " ", made("span", "[" + digits(row.low) + "; " + digits(row.high) + "]", { class: "interval" }));
      if (styles[row.verdict]) { value.append(" ", made("span", row.verdict, { class: "hidden" })); }
      line.append(cell, value);
    });
    foot(table, low, high, place);
    const clipped = known.filter((row) => row.begin < low || row.end > high).length;
    const said = (clipped === 1 ? "1 interval goes" : clipped + " intervals go") + " beyond the plot (arrow): the numbers are in the last column.";
    return clipped ? [table, made("p", said, { class: "legend" })] : [table];
  }
  function foot(table, low, high, place) {
    const apart = (high - low) / 4, line = table.createTFoot().insertRow(), axis = made("td", "", { class: "axis" });
    const above = MARKS.filter((mark) => Math.log(mark) > apart && Math.log(mark) <= high).slice(-1);
    const below = MARKS.filter((mark) => Math.log(mark) > apart && Math.log(mark) <= -low).slice(-1).map((mark) => 1 / mark);
    [...below, 1, ...above].forEach((mark) =>
      axis.append(made("span", String(Number(mark.toPrecision(2))), { style: "left:" + place(Math.log(mark)) + "%" })));
    line.append(made("td"), axis, made("td"));
  }
  function show() {
    const one = from.selectedIndex, other = to.selectedIndex, found = rows(one, other);
    const points = [...new Set(found.map((row) => row.case_[2]))], caption = to.value + " / " + from.value;
    document.getElementById("chosen").replaceChildren(...points.map((point) => heat(found, point, caption)), ...(found.length ? forest(found) : []));
    const counted = (word) => found.filter((row) => row.verdict === word).length;
    const exploratory = data.question.some((pair) => [one + " " + other, other + " " + one].includes(pair)) ? "" : ", exploratory";
    document.getElementById("choose-said").textContent = found.length === 0 ? "nothing to show: choose two stacks"
      : to.value + " is slower in " + counted("slower") + ", faster in " + counted("faster") + ", equivalent in " + counted("equivalent") +
        ", not slower in " + counted("not-slower") + ", not faster in " + counted("not-faster") +
        ", dependent on the regime of the machine in " + counted("depends") +
        " of " + found.length + exploratory;
  }
  document.getElementById("choose").hidden = false;
  [from, to].forEach((field) => field.addEventListener("change", show));
  document.querySelectorAll('a[href$="#pairs"][data-pair]').forEach((link) => link.addEventListener("click", function () {
    [from.value, to.value] = link.dataset.pair.split(" ");
    show();
  }));
  show();
})();
