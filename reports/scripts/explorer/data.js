// SPDX-License-Identifier: BSD-3-Clause
// What the explorer knows: the numbers that postprocess/subjects/explorer/data.py has put into the page.
const explorerData = (function () {
  "use strict";
  const { known, fixed, significant, decimals } = dom;
  // `at`: where a row of numbers has value, lower and upper end; `times`: what they are shown times.
  const VIEWS = {
    time: { name: "Time", unit: "µs", file: "summary.csv", at: 0, log: true, times: 1 },
    ratio: { name: "Ratio", unit: "×", file: "comparison.csv", log: true, times: 1 },
    bandwidth: { name: "Bandwidth", unit: "MB/s", file: "rates.csv", at: 3, log: true, times: 1 },
    efficiency: { name: "Efficiency", unit: "%", file: "rates.csv", at: 6, log: false, times: 100 },
  };
  const USED = 9, MEASURED = 10, VERDICT = 11, NEXT = 12, NEXT_RATIO = 4;  // NEXT: where it lies in another job
  const TURNED = {
    slower: "faster", faster: "slower", "not-slower": "not-faster", "not-faster": "not-slower",
    missing: "new", new: "missing",
  };

  function opened(data) {
    const places = Object.fromEntries(data.stacks.map((stack, place) => [stack[0], place]));
    const stacks = data.stacks.map(([name, glyph, series]) => ({ name, glyph, colour: "var(--series-" + series + ")" }));
    const sizes = new Map(data.sizes);
    const oneNode = data.points.every(([processes, perNode]) => processes <= perNode);
    const cases = data.cases.map(function ([operation, size, point], number) {
      const [processes, perNode, placement, groups, label] = data.points[point];
      return { number, operation, size, sizeLabel: sizes.get(size), processes, perNode, placement, groups, point: label };
    });
    const row = (stack, place) => data.rows[places[stack] + " " + place];

    function ratio(stack, place, against) {
      const key = [places[against], places[stack]], own = data.pairs[key.join(" ") + " " + place];
      const back = data.pairs[key.reverse().join(" ") + " " + place];
      const inverse = (value) => (value ? 1 / value : null);
      if (own) { return { value: own[0], low: own[1], high: own[2], said: data.verdicts[own[3]], next: own.slice(NEXT_RATIO) }; }
      if (!back) { return null; }
      const [verdict, reason, turnedReason] = data.verdicts[back[3]];
      const said = [TURNED[verdict] || verdict, turnedReason ?? reason];
      return { value: inverse(back[0]), low: inverse(back[2]), high: inverse(back[1]), said, next: back.slice(NEXT_RATIO).map(inverse).reverse() };
    }
    // What a view says of a stack in a case; null where it says nothing. `sure`: established, or reliable.
    function number(view, stack, place, against) {
      const own = row(stack, place);
      if (!own) { return null; }
      const counts = { launches: own[USED], measured: own[MEASURED] };
      if (view === "ratio") {
        const found = stack === against ? null : ratio(stack, place, against);
        return found && { ...found, ...counts, sure: ["slower", "faster", "equivalent", "depends"].includes(found.said[0]) };
      }
      const [value, low, high] = own.slice(VIEWS[view].at, VIEWS[view].at + 3), said = data.verdicts[own[VERDICT]];
      return { value, low, high, said, ...counts, sure: said[0] === "ok", next: view === "time" ? own.slice(NEXT) : [] };
    }
    function launches(stack, place) {
      const found = data.launches[places[stack] + " " + place];
      const said = (verdict) => (verdict === undefined ? "ok" : data.verdicts[verdict][0]);
      return (found || []).map(([block, value, verdict]) => ({ block, value, verdict: said(verdict) }));
    }
    const any = (at) => Object.values(data.rows).some((each) => known(each[at]));
    const { bandwidth, efficiency } = VIEWS;
    const has = { time: true, ratio: data.stacks.length > 1, bandwidth: any(bandwidth.at), efficiency: any(efficiency.at) };
    return {
      stacks, cases, number, launches, oneNode, threshold: data.threshold, against: data.against,
      operations: data.operations, sizes: data.sizes, views: Object.keys(VIEWS).filter((view) => has[view]),
      stack: (name) => stacks[places[name]],
    };
  }
  // A number of a view as text: value, interval, and both with the unit.
  function told(view, number) {
    const { unit, times } = VIEWS[view];
    const [value, low, high] = [number.value, number.low, number.high].map((each) => (known(each) ? each * times : each));
    const places = decimals(value, low, high), write = (each) => (view === "ratio" ? significant(each) : fixed(each, places));
    const interval = known(low) && known(high) && low !== high ? "[" + write(low) + "; " + write(high) + "]" : "";
    const further = number.next.length ? "another job [" + number.next.map((each) => significant(each)).join("; ") + "]" : "";
    const whole = write(value) + (unit === "×" ? "" : dom.GAP) + unit + (interval ? " " + interval : "") + (further ? ", " + further : "");
    return { value: write(value), interval, further, whole: known(value) ? whole : "no value" };
  }
  function load() {
    const source = document.getElementById("explorer-data");
    return source && opened(JSON.parse(source.textContent));
  }
  return { VIEWS, load, told };
})();
