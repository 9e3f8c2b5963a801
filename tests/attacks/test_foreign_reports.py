# SPDX-License-Identifier: BSD-3-Clause
"""What somebody else's run brings along as pages and pictures: none of it is printed, loaded or run."""

from __future__ import annotations

import re
import shutil
import sys
import threading
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from isochron.common.files import FileError
from isochron.postprocess.export import pdf
from isochron.postprocess.export.content import Content
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.kit.svg import themed
from isochron.postprocess.report.links import Links
from isochron.postprocess.report.render import Sheets
from tests.postprocess.conftest import small_report

__all__ = ["small_report"]

#: As Matplotlib writes it.
FIGURE = """<?xml version="1.0" encoding="utf-8" standalone="no"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg"
  width="9pt" height="9pt" viewBox="0 0 9 9" version="1.1">
 <metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"></rdf:RDF></metadata>
 <defs><style type="text/css">*{stroke-linejoin: round; stroke-linecap: butt}</style></defs>
 <g id="a"><path id="p" d="M 0 0" clip-path="url(#c)" style="fill: #000000"/><use xlink:href="#p" x="1" y="2"/>
 <image xlink:href="data:image/png;base64,AAAA" id="i" width="1" height="1"/>
 <text style="font-size: 10px">a &lt; b</text>HERE</g>
</svg>
"""

FOREIGN = {
    "a script": "<script>theirs()</script>",
    "an event": '<g onload="theirs()"/>',
    "a page in the page": '<iframe src="file:///etc/passwd"></iframe>',
    "another page instead": '<meta http-equiv="refresh" content="0;url=file:///etc/passwd"/>',
    "the end of the picture": '</svg><form action="https://example.org">',
    "a picture of the network": '<image xlink:href="https://example.org/a.png" width="1" height="1"/>',
    "a file": '<use xlink:href="file:///etc/passwd#a"/>',
    "a link": '<a xlink:href="https://example.org"><text>here</text></a>',
    "a style sheet": "<style>body { display: none }</style>",
    "an address in a style": '<path style="fill: url(https://example.org)"/>',
    "the same in other letters": '<path style="fill: ur&#108;(https://example.org)"/>',
    "the same escaped": '<path style="fill: \\75rl(https://example.org)"/>',
    "HTML": "<foreignObject><body>theirs</body></foreignObject>",
    "a script, to HTML no comment": "<!-- --!><script>theirs()</script> -->",
    "an element in pieces": "<scr<!-- -->ipt>theirs()</scr<!-- -->ipt>",
    "an animation": '<set attributeName="xlink:href" to="https://example.org"/>',
    "an element of another language": '<script xmlns="http://www.w3.org/1999/xhtml">theirs()</script>',
    "an entity": "&theirs;",
    "elements without end": "<g>" * 1000 + "</g>" * 1000,
}
#: What is a script to a reader of HTML, and something else in XML: the page has none of it, or has it as a text.
TEXTS = {
    "a comment": "<!--><script>theirs()</script>-->",
    "an instruction": "<?a ><script>theirs()</script>?>",
    "characters": "<![CDATA[<script>theirs()</script>]]>",
}


@pytest.mark.parametrize("foreign", FOREIGN.values(), ids=FOREIGN.keys())
def test_no_picture_brings_more_than_a_picture_into_a_page(foreign: str) -> None:
    with pytest.raises(ValueError, match=r"^it (has|refers to)"):
        themed(FIGURE.replace("HERE", foreign), "figure-1", "A title", "A description")


class Elements(HTMLParser):
    """The names of the elements of a page, as a browser reads it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.names.add(tag)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_what_is_no_element_in_xml_is_none_in_a_page(text: str) -> None:
    page = themed(FIGURE.replace("HERE", text), "figure-1", "A title", "A description")
    assert Elements(page).names == {"svg", "title", "desc", "defs", "style", "g", "path", "use", "image", "text"}


def test_a_picture_of_ours_is_taken() -> None:
    formula = "<!-- $\\mathdefault{10^{-2}}$ --><text>a \\ url(b)</text>"
    page = themed(FIGURE.replace("HERE", formula), "figure-1", "A title", "A description")
    assert "a &lt; b" in page and "a \\ url(b)" in page and "<!--" not in page


@pytest.fixture
def foreign(small_report: RunInputs, tmp_path: Path) -> RunInputs:
    """A copy of a run, with pages of somebody else's making."""
    run = shutil.copytree(small_report.layout.root, tmp_path / "run", ignore=shutil.ignore_patterns("launches"))
    for page in ("index.html", "answer.html"):
        (run / "report" / page).write_text("<title>theirs</title><script>theirs()</script>")
    return load_inputs(run)


def test_the_page_that_is_printed_is_made_anew(foreign: RunInputs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "find_browser", lambda: "browser")
    monkeypatch.setattr(pdf, "by_browser", lambda _, page: page.encode())
    page = pdf.pdf(Content(foreign)).decode()
    assert "theirs" not in page and foreign.campaign.heading in page
    assert "default-src 'none'" in unescape(page) and not re.search(r'<a [^>]*href="(?!#)', page)


def test_a_foreign_figure_is_named(foreign: RunInputs) -> None:
    figure = sorted(foreign.layout.figures.glob("*.svg"))[0]
    figure.write_text(figure.read_text().replace("</svg>", "<script>theirs()</script></svg>"))
    with pytest.raises(FileError, match=f"{figure}: is no figure of Isochron's: it has an element script; analyse"):
        Sheets(foreign).whole(Links())


def test_weasyprint_gets_the_page_and_nothing_else(foreign: RunInputs, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    def html(**words: Any) -> SimpleNamespace:
        given.update(words)
        return SimpleNamespace(write_pdf=lambda: b"%PDF-")

    monkeypatch.setattr(pdf, "find_browser", lambda: None)
    monkeypatch.setitem(sys.modules, "weasyprint", SimpleNamespace(HTML=html))  # type: ignore[arg-type]
    assert pdf.pdf(Content(foreign)) == b"%PDF-" and "theirs" not in given["string"]
    with pytest.raises(ValueError, match="the report needs nothing beside itself"):
        given["url_fetcher"]("file:///etc/passwd", timeout=10)


@pytest.fixture
def asked_for() -> Iterator[tuple[str, list[str]]]:
    """An address on this machine, and what was asked of it."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", paths
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.process
@pytest.mark.skipif(pdf.find_browser() is None, reason="no Chromium is here")
def test_a_browser_that_prints_asks_nothing_of_the_network(asked_for: tuple[str, list[str]]) -> None:
    address, paths = asked_for
    browser = pdf.find_browser()
    assert browser is not None
    page = f'<img src="{address}/a"><iframe src="{address}/b"></iframe><script src="{address}/c"></script>'
    assert pdf.by_browser(browser, page).startswith(b"%PDF-")
    assert paths == []
