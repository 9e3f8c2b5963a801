// SPDX-License-Identifier: BSD-3-Clause
// Two runs side by side. A page from a disk may not read files, so runs are scripts that register themselves.
(function () {
  "use strict";
  const CAMPAIGNS = JSON.parse(document.getElementById("campaigns").textContent);
  const LISTED = 300;
  const get = (id) => document.getElementById(id);
  const place = get("beside");
  const loading = new Map();

  function load(path) {
    if (!loading.has(path)) {
      loading.set(path, new Promise(function (done, failed) {
        const script = document.createElement("script");
        script.src = path.split("/").map(encodeURIComponent).join("/");
        script.onload = done;
        script.onerror = () => failed(new Error(path));
        document.head.append(script);
      }));
    }
    return loading.get(path);
  }

  function element(name, words, ...children) {
    const made = document.createElement(name);
    for (const [word, value] of Object.entries(words)) { made.setAttribute(word, value); }
    made.append(...children);
    return made;
  }

  function fill(select, options, chosen) {
    select.replaceChildren(...options.map(([value, text]) => element("option", { value: value }, text)));
    if (options.some(([value]) => value === chosen)) { select.value = chosen; }
  }

  // The newest run first.
  async function fillRuns(side, chosen) {
    const slug = get("campaign-" + side).value;
    await load("campaigns/" + slug + "/runs.js");
    const runs = self.isochronLists[slug].slice().reverse();
    fill(get("run-" + side), runs.map((run) => [run, run]), chosen);
  }

  async function run(side) {
    const name = get("campaign-" + side).value + "/" + get("run-" + side).value;
    if (!get("run-" + side).value) { return null; }
    await load("campaigns/" + get("campaign-" + side).value + "/runs/" + get("run-" + side).value + ".js");
    return self.isochronRuns[name];
  }

  function fillStacks(side, found, chosen) {
    const stacks = Object.keys(found.rows);
    fill(get("stack-" + side), [["", "each by its name"], ...stacks.map((stack) => [stack, stack])], chosen);
  }

  const size = (bytes) => bytes === 0 ? "–" : [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 1024]].reduce(
    (said, [unit, factor]) => said || (bytes % factor === 0 ? bytes / factor + "\u202f" + unit : ""), "") || bytes + "\u202fB";
  const digits = (value) => value === null ? "–" : Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 });

  // Pairs of stacks that are set against each other.
  function pairs(a, b) {
    const [one, other] = [get("stack-a").value, get("stack-b").value];
    if (one || other) { return [[one || other, other || one]].filter(([x, y]) => a.rows[x] && b.rows[y]); }
    return Object.keys(a.rows).filter((stack) => stack in b.rows).map((stack) => [stack, stack]);
  }

  function rows(a, b) {
    const found = [];
    for (const [one, other] of pairs(a, b)) {
      for (const [point, operations] of Object.entries(a.rows[one])) {
        for (const [operation, sizes] of Object.entries(operations)) {
          for (const [bytes, [value, low, high]] of Object.entries(sizes)) {
            const match = ((b.rows[other][point] || {})[operation] || {})[bytes];
            if (!match) { continue; }
            const known = low !== null && high !== null && match[1] !== null && match[2] !== null;
            found.push({
              stack: one === other ? one : one + " → " + other, operation: operation, bytes: Number(bytes), point: point,
              a: value, b: match[0], ratio: match[0] / value,
              low: known ? match[1] / high : null, high: known ? match[2] / low : null,
            });
          }
        }
      }
    }
    found.forEach((row) => { row.apart = row.low === null ? "" : row.low > 1 ? "slower" : row.high < 1 ? "faster" : ""; });
    const least = (row) => (row.apart === "slower" ? Math.log(row.low) : row.apart === "faster" ? -Math.log(row.high) : 0);
    return found.sort((x, y) => least(y) - least(x) || Math.abs(Math.log(y.ratio)) - Math.abs(Math.log(x.ratio)));
  }

  function differing(a, b) {
    const names = Array.from(new Set([...Object.keys(a.facts), ...Object.keys(b.facts)])).sort();
    return names.filter((name) => a.facts[name] !== b.facts[name]).map(function (name) {
      const [kind, stack, what] = name.split("|");
      const said = [a.facts[name], b.facts[name]].map((each) => each === undefined ? "not known" : each);
      return (stack ? stack + " " : "") + what + ": " + said.join(" → ") + " (" + kind + ")";
    });
  }

  function table(found) {
    const heads = ["Stack", "Operation", "Size", "Point", "A (µs)", "B (µs)", "Ratio", "What both allow"];
    const body = found.slice(0, LISTED).map(function (row) {
      const range = row.low === null ? "–" : "[" + digits(row.low) + "; " + digits(row.high) + "]";
      const cells = [row.operation, size(row.bytes), row.point, digits(row.a), digits(row.b), digits(row.ratio) + "×", range];
      return element("tr", { class: row.apart }, element("th", { scope: "row" }, row.stack),
        ...cells.map((cell, number) => element("td", number === 0 || number === 2 ? { class: "text" } : {}, cell)));
    });
    const caption = "Rows that both runs have" + (found.length > LISTED ? ", the first " + LISTED + " of " + found.length : "");
    return element("div", { class: "scroll tall", role: "region", tabindex: "0", "aria-label": caption },
      element("table", { class: "plain" }, element("caption", {}, caption),
        element("thead", {}, element("tr", {}, ...heads.map((head, number) =>
          element("th", { scope: "col", class: number === 1 || number === 3 ? "text" : "" }, head)))),
        element("tbody", {}, ...body)));
  }

  function show(a, b) {
    const found = rows(a, b);
    const title = element("h2", {}, b.campaign + " " + b.run + " beside " + a.campaign + " " + a.run);
    const where = a.system === b.system ? a.system : a.system + " (A) and " + b.system + " (B)";
    if (!found.length) {
      place.replaceChildren(title, element("p", {}, where + ". They have no row in common; choose other runs or stacks."));
      return;
    }
    const middle = Math.exp(found.reduce((sum, row) => sum + Math.log(row.ratio), 0) / found.length);
    const count = (word) => found.filter((row) => row.apart === word).length;
    const said = where + ". " + found.length + " results in common; on geometric mean B takes " + digits(middle) + "× the time of A. In "
      + count("slower") + " B is slower and the intervals do not meet, in " + count("faster") + " it is faster.";
    const differs = differing(a, b);
    place.replaceChildren(title, element("p", {}, said), element("details", {},
      element("summary", {}, differs.length ? differs.length + (differs.length === 1 ? " thing is" : " things are") + " not the same" : "Nothing else is known to differ"),
      element("ul", {}, ...differs.map((line) => element("li", {}, line)))), table(found));
  }

  async function refresh(stacks) {
    try {
      const [a, b] = await Promise.all([run("a"), run("b")]);
      if (!a || !b) { place.replaceChildren(element("p", {}, "No complete run; choose another campaign.")); return; }
      if (stacks) { fillStacks("a", a, stacks[0]); fillStacks("b", b, stacks[1]); }
      show(a, b);
      const name = (side) => get("campaign-" + side).value + "/" + get("run-" + side).value;
      const words = [["a", name("a")], ["b", name("b")], ["sa", get("stack-a").value], ["sb", get("stack-b").value]];
      history.replaceState(null, "", "#" + words.filter((word) => word[1]).map(([key, value]) => key + "=" + encodeURIComponent(value)).join("&"));
    } catch (problem) {
      place.replaceChildren(element("p", {}, "A file of the site is missing: " + problem.message));
    }
  }

  async function begin() {
    const asked = Object.fromEntries(location.hash.slice(1).split("&").filter(Boolean).map((word) => word.split("=").map(decodeURIComponent)));
    const options = CAMPAIGNS.map(([slug, title]) => [slug, slug + (title === slug ? "" : ": " + title)]);
    const [a, b] = ["a", "b"].map((side) => (asked[side] || "").split("/"));
    if (!a[0]) { a[0] = b[0]; }
    if (!b[0]) { b[0] = a[0]; }
    fill(get("campaign-a"), options, a[0]);
    fill(get("campaign-b"), options, b[0]);
    get("choose").hidden = false;
    try { await Promise.all([fillRuns("a", a[1]), fillRuns("b", b[1])]); } catch (problem) {
      place.replaceChildren(element("p", {}, "A file of the site is missing: " + problem.message));
      return;
    }
    if (!a[1] && get("run-a").options.length > 1 && get("campaign-a").value === get("campaign-b").value) {
      get("run-a").selectedIndex = get("run-b").selectedIndex + 1 < get("run-a").options.length ? get("run-b").selectedIndex + 1 : 0;
    }
    await refresh([asked.sa, asked.sb]);
  }

  for (const side of ["a", "b"]) {
    get("campaign-" + side).addEventListener("change", () => fillRuns(side).then(() => refresh([])));
    get("run-" + side).addEventListener("change", () => refresh([get("stack-a").value, get("stack-b").value]));
    get("stack-" + side).addEventListener("change", () => refresh());
  }
  if (CAMPAIGNS.length) { begin(); }
})();
