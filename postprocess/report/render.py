# SPDX-License-Identifier: BSD-3-Clause
"""The report of a run: templates rendered with any links, as one page or as several."""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from isochron.common.files import write_atomically
from isochron.common.resources import shipped
from isochron.common.text import printable
from isochron.postprocess.analysis.saved import load_analysis
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import FINDINGS, Findings
from isochron.postprocess.kit.section import Shown
from isochron.postprocess.report.links import INDEX, EmbeddedLinks, Links, page_name
from isochron.postprocess.report.page import build
from isochron.postprocess.subjects.registry import SECTIONS

#: Templates, styles, scripts and texts.
REPORTS = shipped("reports")

#: The scripts, which become one.
SCRIPTS = (
    "dom.js",
    "report.js",
    "pairs.js",
    "downloads.js",
    "sorting.js",
    *(
        f"explorer/{name}.js"
        for name in ("data", "state", "chips", "scale", "marks", "chart", "model", "strip", "table", "page")
    ),
)

#: What a reader's browser may load and run for the report: its own styles, and the one script with this hash.
#: Styles are allowed by word and not by hash, since the figures have style attributes.
POLICY = (
    "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def css_text(text: str) -> str:
    """A text as a string of a style sheet, in which nothing ends the string or the sheet."""
    return '"' + re.sub(r"[^\w .,:()-]", lambda match: f"\\{ord(match[0]):x} ", text) + '"'


def code(text: str) -> Markup:
    """A text as HTML: what stands between backticks as code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # the last backtick has no partner
        pieces[-2:] = ["`".join(pieces[-2:])]
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if number % 2 else escape(piece) for number, piece in enumerate(pieces)
    )


def unmarked(text: str) -> str:
    """A text for an attribute, which has no code: without backticks."""
    return text.replace("`", "")


def policy(script: str) -> str:
    """The Content-Security-Policy of a page with this inline script alone."""
    return POLICY.format(b64encode(sha256(script.encode()).digest()).decode())


@cache
def templates() -> Environment:
    """What sets templates, styles and scripts of `reports/`; a name that is not known is an error.

    One for a process, which compiles a template once for all its pages.
    """
    environment = Environment(
        loader=FileSystemLoader(REPORTS),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_shown,
    )
    environment.filters |= {"css_text": css_text, "code": code, "unmarked": unmarked}
    return environment


def _shown(value: object) -> object:
    """A text that came from outside, with nothing in it that is no text; HTML of our own as it is."""
    return printable(value) if type(value) is str else value


class Sheets:
    """The report of what `analyse` left, ready to be set with any links. Raises FileError if it is missing."""

    def __init__(self, inputs: RunInputs) -> None:
        self._environment = templates()
        analysis = load_analysis(inputs.layout, dict.fromkeys(table for section in SECTIONS for table in section.needs))
        findings = Findings.load(inputs.layout.tables / FINDINGS).findings
        self._report = build(inputs, analysis, findings)
        self._script = "".join(self._environment.get_template(f"scripts/{name}").render() for name in SCRIPTS)
        self.sections = self._report.sections

    def section(self, section: Shown, links: Links) -> Markup:
        """A section."""
        return Markup(self._set(section.template, links, view=section.view))

    def stub(self, section: Shown, links: Links) -> Markup:
        """What stands in the place of a section that has a page of its own."""
        return Markup(self._set("moved.html.j2", links, section=section))

    def page(self, sections: list[Markup], links: Links) -> str:
        """A page with these sections."""
        return self._set("report.html.j2", links, sections=sections, script=self._script, policy=policy(self._script))

    def whole(self, links: Links) -> str:
        """The report as one page."""
        return self.page([self.section(section, links) for section in self.sections], links)

    def _set(self, template: str, links: Links, **more: object) -> str:
        shared = {"report": self._report, "links": links}
        macros = self._environment.get_template("templates/macros.html.j2").make_module(shared)
        return self._environment.get_template(f"templates/{template}").render(shared, m=macros, **more)


#: The most bytes that a page has, and the section that never leaves it.
MOST, FIRST = 2_000_000, "answer"


def render(inputs: RunInputs, most: int = MOST) -> Path:
    """Write the report of what `analyse` left, in pages of at most `most` bytes where sections allow it.

    Returns the path of the first page. Raises FileError if something is missing.
    """
    folder = inputs.layout.report.parent
    files = parts(Sheets(inputs), most=most)
    for name, text in files.items():
        write_atomically(folder / name, text)
    for stale in {path for path in folder.glob("*.html") if path.name not in files}:
        stale.unlink()
    return inputs.layout.report


def standalone(inputs: RunInputs) -> str:
    """The report as one file that can be mailed: it holds its tables, and no link leads out of it. Raises FileError."""
    return Sheets(inputs).whole(EmbeddedLinks(inputs.layout.root))


def parts(sheets: Sheets, kind: type[Links] = Links, most: int = MOST) -> dict[str, str]:
    """The pages of a report by the names of their files: the first page, and the sections that had to leave it."""
    first = kind()
    bodies = {section.anchor: sheets.section(section, first) for section in sheets.sections}
    stubs = {section.anchor: sheets.stub(section, first) for section in sheets.sections}
    size = len(sheets.page(list(bodies.values()), first).encode())
    moved = _too_large(bodies, stubs, size, most)
    pages = {INDEX: sheets.page([stubs[each] if each in moved else bodies[each] for each in bodies], first)}
    for section in sheets.sections:
        if section.anchor in moved:
            links = kind(section.anchor, moved)
            pages[page_name(section.anchor)] = sheets.page([sheets.section(section, links)], links)
    return pages


def _too_large(bodies: dict[str, Markup], stubs: dict[str, Markup], size: int, most: int) -> list[str]:
    """The sections that leave a page of `size` bytes, the largest first, until it has at most `most`."""
    moved = []
    for anchor in sorted(set(bodies) - {FIRST}, key=lambda each: (-len(bodies[each]), each)):
        if size <= most:
            break
        moved.append(anchor)
        size -= len(bodies[anchor].encode()) - len(stubs[anchor].encode())
    return moved
