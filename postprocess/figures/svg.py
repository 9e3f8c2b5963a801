# SPDX-License-Identifier: BSD-3-Clause
"""SVG, saved the same way every time."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

from matplotlib.figure import Figure

from isochron.common.files import write_atomically
from isochron.postprocess.figures.themed import FALLBACK


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
