# SPDX-License-Identifier: BSD-3-Clause
"""SVG: saved the same way every time, and made part of a page."""

from __future__ import annotations

import re
from html import escape
from io import StringIO
from pathlib import Path

from matplotlib.figure import Figure

from isochron.ground.files import write_atomically
from isochron.postprocess.figures.style import VARIABLES

#: Fonts for readers other than the page, whose own font is used there.
FALLBACK = "'DejaVu Sans', 'Helvetica Neue', Arial, sans-serif"


def save(figure: Figure, path: Path) -> None:
    """Write a figure as SVG without dates, so that equal figures are equal files."""
    stream = StringIO()
    figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = re.sub(r"[ \t]+$", "", stream.getvalue(), flags=re.MULTILINE)
    # A hundredth of a point is finer than any eye, and the file is smaller. Texts stay as they are.
    text = re.sub(r'\b(d|x|y|transform)="[^"]*"', lambda attribute: _rounded(attribute[0]), text)
    write_atomically(path, re.sub(r"'DejaVu Sans'(, sans-serif)?", FALLBACK, text))


def _rounded(text: str) -> str:
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), text)


def themed(text: str, prefix: str, title: str, description: str) -> str:
    """An SVG file as part of a page.

    Colours become the page's variables, type becomes the page's, every id gets `prefix` (ids must
    be unique in a page), and the image gets a title and a description for those who cannot see it.
    """
    body = text[text.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = body.replace(f"{FALLBACK}", "var(--sans)")
    body = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', body)
    body = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", body)
    body = re.sub(r'href="#([^"]+)"', rf'href="#{prefix}-\1"', body)
    for colour, variable in VARIABLES.items():
        body = body.replace(colour, f"var({variable})")
    head = re.match(r'<svg[^>]*?viewBox="([^"]+)"[^>]*>', body)
    if head is None:
        raise ValueError("no SVG of ours: it has no viewBox")
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="{head[1]}" '
        f'role="img" aria-labelledby="{prefix}-title {prefix}-description">'
        f'<title id="{prefix}-title">{escape(title)}</title>'
        f'<desc id="{prefix}-description">{escape(description)}</desc>'
    )
    return opening + body[head.end() :]
