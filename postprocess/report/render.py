# SPDX-License-Identifier: BSD-3-Clause
"""The page set in the templates of `reports/`: one file that works anywhere, and further ones where it is large."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from isochron.common.files import write_atomically
from isochron.common.resources import shipped
from isochron.common.words import printable
from isochron.postprocess.analysis.saved import load_analysis
from isochron.postprocess.findings.model import Findings
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.report.page import build
from isochron.postprocess.report.parts import parts
from isochron.postprocess.report.registry import SECTIONS
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
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text))))


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


def whole(inputs: RunInputs) -> str:
    """The report as one page, of what `analyse` left. Raises FileError where that is missing."""
    environment = templates()
    analysis = load_analysis(inputs.layout, dict.fromkeys(table for section in SECTIONS for table in section.needs))
    findings = Findings.load(inputs.layout.tables / FINDINGS).findings
    script = "".join(environment.get_template(f"scripts/{name}").render() for name in SCRIPTS)
    return environment.get_template("templates/report.html.j2").render(
        report=build(inputs, analysis, findings), script=script, policy=policy(script)
    )


def render(inputs: RunInputs) -> Path:
    """Write the report of what `analyse` left and return its path. Raises FileError where that is missing."""
    folder = inputs.layout.report.parent
    files = parts(whole(inputs))
    for name, text in files.items():
        write_atomically(folder / name, text)
    for stale in {path for path in folder.glob("*.html") if path.name not in files}:
        stale.unlink()
    return inputs.layout.report
