// SPDX-License-Identifier: BSD-3-Clause
// Every figure as SVG and PNG, every table as CSV: made in the page, nothing is asked of anybody.
const downloads = (function () {
  "use strict";
  const SHARPER = 2;  // pixels of a PNG for each of the page

  function save(name, content) {
    const address = URL.createObjectURL(content), link = dom.made("a", "", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }
  const named = (text) => text.toLowerCase().replace(/[^a-z0-9.]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "isochron";

  // The texts of an element as one, without what only decorates; digits are not set apart.
  function said(element) {
    const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), found = [];
    while (walk.nextNode()) {
      const text = walk.currentNode.data.trim();
      if (text && !walk.currentNode.parentElement.closest("[aria-hidden=true], .tools")) { found.push(text); }
    }
    return found.join(" ").replaceAll(dom.GAP, "").replace(/\s+/g, " ");
  }
  // A spreadsheet takes no text for a formula, as in the files of tables/; numbers stay as they are.
  const harmless = (text) => (/^'*[=+\-@\t\r]/.test(text) && !(text.trim() && isFinite(text)) ? "'" + text : text);
  function quoted(cell) {
    const text = harmless(String(cell));
    return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  }
  const csv = (rows) => rows.map((row) => row.map(quoted).join(",") + "\n").join("");
  const shown = (table) => Array.from(table.rows)
    .filter((row) => !row.hidden && !row.closest("tfoot")).map((row) => Array.from(row.cells, said));

  // The picture with the colours and the type of the page as it is now, for readers that know no style sheet.
  function picture(svg) {
    const copy = svg.cloneNode(true), box = svg.viewBox.baseVal, probe = dom.made("span");
    svg.parentElement.append(probe);
    function value(name) {
      const property = name === "--sans" ? "fontFamily" : "color";
      probe.style[property] = "var(" + name + ")";
      return getComputedStyle(probe)[property].replaceAll('"', "'");
    }
    Object.entries({ xmlns: "http://www.w3.org/2000/svg", width: box.width, height: box.height })
      .forEach(([key, text]) => copy.setAttribute(key, text));
    copy.prepend(dom.drawn("rect", { x: box.x, y: box.y, width: box.width, height: box.height, fill: "var(--paper)" }));
    const text = new XMLSerializer().serializeToString(copy).replace(/var\((--[\w-]+)\)/g, (_, name) => value(name));
    probe.remove();
    return text;
  }
  function asPng(svg, name) {
    const image = new Image(), box = svg.viewBox.baseVal;
    image.onload = function () {
      const canvas = dom.made("canvas", "", { width: SHARPER * box.width, height: SHARPER * box.height });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((content) => save(name + ".png", content), "image/png");
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(picture(svg));
  }
  const tools = (...buttons) => {
    const found = dom.made("span", "", { class: "tools" });
    found.append(...buttons);
    return found;
  };
  // Buttons at the end of the caption of a figure, which may be drawn anew.
  function figure(element, name) {
    const svg = () => element.querySelector("svg"), title = element.querySelector("figcaption strong");
    const called = () => (name ? name() : named(title ? title.textContent : element.id));
    const label = (kind) => ({ "aria-label": "Download " + (title ? title.textContent : "this figure") + " as " + kind });
    element.append(tools(
      dom.button("SVG", label("SVG"), () => save(called() + ".svg", new Blob([picture(svg())], { type: "image/svg+xml" }))),
      dom.button("PNG", label("PNG"), () => asPng(svg(), called()))));
  }
  // A button in the caption of a table. `rows`: what the file holds, where that is more than the page shows.
  function table(element, rows, name) {
    const caption = element.caption, file = caption.querySelector(".file"), title = said(caption);
    const called = name || (file ? file.textContent : named(title) + ".csv");
    caption.append(tools(dom.button("CSV", { "aria-label": "Download as CSV: " + title },
      () => save(called, new Blob([csv(rows ? rows() : shown(element))], { type: "text/csv" })))));
  }

  document.querySelectorAll("main figure:not(.drawn)").forEach((each) => figure(each));
  document.querySelectorAll("main table").forEach((each) => { if (each.caption) { table(each); } });
  return { figure, table };
})();
