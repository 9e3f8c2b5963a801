// SPDX-License-Identifier: BSD-3-Clause
// The explorer of the report: its parts put together. The report is whole without it.
(function () {
  "use strict";
  const data = explorerData.load(), byId = (name) => document.getElementById("explorer-" + name);
  if (!data) {
    const away = document.querySelector('#explorer a[href="explorer.html"]');
    if (away && location.hash.startsWith(explorerState.PREFIX)) { location.replace(away.href + location.hash); }
    return;
  }
  const chart = byId("chart"), strip = byId("strip"), caption = byId("said"), table = byId("table");
  const tip = dom.made("div", "", { class: "tip", "aria-hidden": "true" });
  let state = explorerState.read(location.hash, data), model = null, drawn = null, from = null, wide = 0;

  // Pointing: the value of the mark that is nearest.
  function point(mark) {
    chart.querySelectorAll(".mark.pointed").forEach((each) => each.classList.remove("pointed"));
    tip.hidden = !mark;
    if (!mark) { return; }
    mark.element.classList.add("pointed");
    const name = dom.made("strong", model.name(mark.stack, mark.each));
    name.prepend(dom.made("span", mark.stack.glyph, { class: "glyph", style: "color:" + mark.stack.colour }));
    tip.replaceChildren(name, ...model.lines(mark.number).map((each) => dom.made("span", each)));
    const [x, y] = mark.at, left = Math.max(0, Math.min(x - tip.offsetWidth / 2, wide - tip.offsetWidth));
    tip.style.left = left + "px";
    tip.style.top = (y > tip.offsetHeight + 18 ? y - tip.offsetHeight - 14 : y + 16) + "px";
  }
  function nearest(event) {
    const box = drawn.svg.getBoundingClientRect(), at = [event.clientX - box.left, event.clientY - box.top];
    const far = (mark) => Math.hypot(mark.at[0] - at[0], mark.at[1] - at[1]);
    const found = drawn.marks.reduce((one, other) => (one && far(one) <= far(other) ? one : other), null);
    return found && far(found) < 26 ? found : null;
  }
  const of = (element) => drawn.marks.find((mark) => mark.element === element.closest(".mark"));

  // Arrow keys: along the line of a stack, and up and down at one place.
  function neighbour(element, pressed) {
    const own = of(element), level = pressed === "ArrowUp" || pressed === "ArrowDown";
    const row = drawn.marks.filter((mark) => (level ? mark.panel === own.panel && mark.x === own.x : mark.stack === own.stack))
      .sort((one, other) => (level ? one.at[1] - other.at[1] : one.panel - other.panel || one.x - other.x));
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[pressed];
    const found = pressed === "Home" ? row[0] : pressed === "End" ? row.at(-1) : row[row.indexOf(own) + step];
    return found && found.element;
  }
  function close() {
    state = { ...state, open: "" };
    strip.hidden = true;
    strip.replaceChildren();
    write();
    if (!from) { return; }
    const host = from.localName === "g" ? chart : table;  // the figure may have been drawn anew
    (from.isConnected ? from : host.querySelector('[data-key="' + from.dataset.key + '"]')).focus();
  }
  function open(stack, each, element) {
    state = { ...state, open: model.key(stack, each) };
    from = element;
    write();
    launches();
    strip.querySelector("h3").focus();
  }
  // The launches of the row that is open, and in ratios those of the stack that it is set against.
  function launches() {
    const named = (stack) => model.cases.find((each) => explorerModel.key(stack, each) === state.open);
    const stack = data.stacks.find(named);
    if (!stack) { strip.hidden = true; return; }
    const each = named(stack), both = state.view === "ratio" ? [stack, data.stack(state.against)] : [stack];
    const sides = both.map((own) => ({
      stack: own, number: data.number("time", own.name, each.number), launches: data.launches(own.name, each.number) }));
    explorerStrip.show(strip, sides.filter((side) => side.number), model.name(stack, each) + ", every launch", close);
  }
  function write() {
    const fragment = explorerState.written(state, data);
    link.href = fragment;
    try { history.replaceState(null, "", fragment); } catch { /* a reader that keeps its address */ }
  }
  function draw() {
    wide = Math.max(280, Math.floor(chart.clientWidth));
    drawn = explorerChart.draw(model, wide);
    chart.replaceChildren(drawn.svg, tip);
    tip.hidden = true;
    dom.roving(drawn.svg, ".mark", neighbour).stop();
    const left = drawn.hidden ? " " + drawn.hidden + " further panels are in the table only: choose less to see them." : "";
    const more = {
      ratio: " Above 1 a stack takes longer than " + state.against + "; within the band that does not matter in practice.",
      bandwidth: " Message size / time; the bytes that move, where the operation says how many.",
      efficiency: " Time with the fewest processes / time: 100 where more processes take no longer.",
    }[state.view] || "";
    said.textContent = "Medians of the launches with their intervals." + more + explorerScale.clipped(drawn.clipped) + left + " ";
  }
  function show() {
    model = explorerModel.made(data, state);
    chips.show(state);
    draw();
    explorerTable.draw(table, model, open);
    launches();
  }
  const chips = explorerChips.build(byId("chips"), data, function (next) {
    state = next;
    show();
    write();
  });
  const said = dom.made("span"), link = dom.made("a", "Link to this view", { href: explorerState.written(state, data) });
  caption.append(said, link);

  chart.addEventListener("pointermove", (event) => point(nearest(event)));
  chart.addEventListener("pointerleave", () => point(null));
  chart.addEventListener("click", function (event) {
    const mark = nearest(event);
    if (mark) { open(mark.stack, mark.each, mark.element); }
  });
  chart.addEventListener("focusin", (event) => point(of(event.target)));
  chart.addEventListener("focusout", () => point(null));
  chart.addEventListener("keydown", function (event) {
    const mark = of(event.target);
    if (mark && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      open(mark.stack, mark.each, mark.element);
    }
  });
  document.getElementById("explorer").addEventListener("keydown", function (event) {
    if (event.key === "Escape" && !strip.hidden) { close(); }
  });
  addEventListener("hashchange", function () {
    if (location.hash.startsWith(explorerState.PREFIX)) {
      state = explorerState.read(location.hash, data);
      show();
      document.getElementById("explorer").scrollIntoView();
    }
  });
  byId("body").hidden = false;
  downloads.figure(byId("figure"), () => "explorer-" + state.view + "-" + state.operation);
  show();
  new ResizeObserver(function () {
    if (chart.clientWidth && Math.floor(chart.clientWidth) !== wide) { draw(); launches(); }
  }).observe(chart);
  if (location.hash.startsWith(explorerState.PREFIX)) { document.getElementById("explorer").scrollIntoView(); }
})();
