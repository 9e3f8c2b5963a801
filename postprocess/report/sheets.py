# SPDX-License-Identifier: BSD-3-Clause
"""The templates of `reports/`, and the report of a run set in them."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from isochron.common.resources import shipped
from isochron.common.text import printable
from isochron.postprocess.analysis.saved import load_analysis
from isochron.postprocess.findings.model import Findings
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.report.links import Links
from isochron.postprocess.report.page import build
from isochron.postprocess.report.registry import SECTIONS
from isochron.postprocess.report.section import Shown
from isochron.postprocess.tables.registry import FINDINGS

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
    return '"' + re.sub(r"[^\w .,:()-]", lambda found: f"\\{ord(found[0]):x} ", text) + '"'


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


def templates() -> Environment:
    """What sets templates, styles and scripts of `reports/`; a name that is not known is an error."""
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
    """The report of what `analyse` left, ready to be set with any links. Raises FileError where that is missing."""

    def __init__(self, inputs: RunInputs) -> None:
        self._environment = templates()
        analysis = load_analysis(inputs.layout, dict.fromkeys(table for section in SECTIONS for table in section.needs))
        findings = Findings.load(inputs.layout.tables / FINDINGS).findings
        self._report = build(inputs, analysis, findings)
        self._script = "".join(self._environment.get_template(f"scripts/{name}").render() for name in SCRIPTS)
        self.sections = self._report.sections

    def section(self, section: Shown, links: Links) -> Markup:
        """A section."""
        return Markup(self._set(f"sections/{section.template}", links, view=section.view))

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
