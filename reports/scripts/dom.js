// SPDX-License-Identifier: BSD-3-Clause
// What the scripts share: elements, and numbers written as postprocess/formatting/numbers.py does.
const dom = (function () {
  "use strict";
  const GAP = "\u202f", NONE = "–";

  function made(name, text, attributes) {
    const found = document.createElement(name);
    if (text) { found.textContent = text; }
    Object.entries(attributes || {}).forEach(([key, value]) => found.setAttribute(key, value));
    return found;
  }
  function drawn(name, attributes, text) {
    const found = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.entries(attributes || {}).forEach(([key, value]) => found.setAttribute(key, value));
    if (text !== undefined) { found.textContent = text; }
    return found;
  }
  function button(text, attributes, pressed) {
    const found = made("button", text, { type: "button", ...attributes });
    found.addEventListener("click", pressed);
    return found;
  }

  const known = (value) => typeof value === "number" && isFinite(value);
  // The power of ten of the leading digit, rounded to so many digits where they are given.
  const exponent = (value, digits) => Number(value.toExponential(digits ? digits - 1 : undefined).split("e")[1]);
  // Digits in groups of three: `12 345.60`.
  function fixed(value, decimals) {
    if (!known(value)) { return NONE; }
    const [whole, part] = value.toFixed(Math.max(decimals, 0)).split(".");
    return whole.replace(/\B(?=(\d{3})+$)/g, GAP) + (part ? "." + part : "");
  }
  function significant(value, digits) {
    const wanted = digits || 3;
    return value && known(value) ? fixed(value, wanted - 1 - exponent(value, wanted)) : fixed(value, 0);
  }
  // Decimals that show two digits of half the interval, within two to four digits of the value.
  function decimals(value, low, high) {
    const leading = value && known(value) ? exponent(value) : 0;
    const half = known(low) && known(high) ? (high - low) / 2 : 0;
    const wanted = half > 0 ? 1 - exponent(half) : 3 - leading;
    return Math.max(0, Math.min(Math.max(wanted, 1 - leading), 3 - leading));
  }
  // One stop of the tab key for many elements: the arrow keys go on from there. `next(element, key)`: where to.
  function roving(host, selector, next) {
    const all = () => Array.from(host.querySelectorAll(selector));
    function stop(element) {
      all().forEach((each) => each.setAttribute("tabindex", each === element ? "0" : "-1"));
    }
    function along(element, key) {
      const row = all().filter((each) => each.checkVisibility()), place = row.indexOf(element);
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
      return key === "Home" ? row[0] : key === "End" ? row[row.length - 1] : row[place + step];
    }
    host.addEventListener("keydown", function (event) {
      const own = event.target.closest(selector);
      if (!own || !/^(Arrow|Home|End)/.test(event.key) || event.altKey || event.ctrlKey || event.metaKey) { return; }
      const other = (next || along)(own, event.key);
      event.preventDefault();
      if (other) { stop(other); other.focus(); }
    });
    host.addEventListener("focusin", function (event) {
      const own = event.target.closest(selector);
      if (own) { stop(own); }
    });
    return { stop: (element) => stop(element || all()[0]) };
  }
  return { GAP, NONE, made, drawn, button, known, fixed, significant, decimals, roving };
})();
