# SPDX-License-Identifier: BSD-3-Clause
"""SVG pictures as trees: Matplotlib's output read, and written the same way every time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as Xml

from matplotlib.figure import Figure

from isochron.common.files import write_atomically

#: Fonts for readers other than the report's pages, whose own font is used there.
FALLBACK = "'DejaVu Sans', 'Helvetica Neue', Arial, sans-serif"
SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
#: What Matplotlib would write beside the picture: nothing of it, so that equal figures are equal files.
METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
#: Elements within each other, the most of a picture that is read.
DEEPEST = 40
#: Attributes whose numbers are rounded: a hundredth of a point is finer than any eye, and the file is smaller.
ROUNDED = ("d", "x", "y", "transform")


def save(figure: Figure, path: Path) -> None:
    """Write a figure as SVG without dates, so that equal figures are equal files."""
    stream = StringIO()
    figure.savefig(stream, format="svg", transparent=True, metadata=METADATA)
    root = read_svg(stream.getvalue())
    for element in root.iter():
        for name in ROUNDED:
            if name in element.attrib:
                element.set(name, _round_numbers(element.attrib[name]))
        if "style" in element.attrib:
            fonts = replace_fonts(read_style(element.attrib["style"]), FALLBACK)
            element.set("style", write_style(fonts))
    write_atomically(path, f'<?xml version="1.0" encoding="utf-8"?>\n{write_svg(root)}\n')


def read_svg(text: str) -> Xml.Element:
    """The tree of a picture, in which the names of SVG and of links have no name space. Raises ValueError.

    It is read from its first element on: what comes before, such as declarations of entities, is not read at all.
    """
    try:
        root = Xml.fromstring(text[max(0, text.find("<svg")) :])
    except Xml.ParseError as error:
        raise ValueError(f"it has XML that cannot be read: {error}") from error
    _check_depth(root)
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{SVG}}}")
        if f"{{{XLINK}}}href" in element.attrib:
            element.set("xlink:href", element.attrib.pop(f"{{{XLINK}}}href"))
    return root


def _check_depth(root: Xml.Element) -> None:
    """Raise ValueError where elements are nested more deeply than in any figure: each level is a call when written."""
    level, depth = [root], 0
    while level:
        level, depth = [child for element in level for child in element], depth + 1
        if depth > DEEPEST:
            raise ValueError(f"it has elements nested more than {DEEPEST} deep")


def write_svg(root: Xml.Element) -> str:
    """The text of a tree of `read_svg`."""
    root.set("xmlns", SVG)
    root.set("xmlns:xlink", XLINK)
    return Xml.tostring(root, encoding="unicode")


def read_style(text: str) -> dict[str, str]:
    """The declarations of a style attribute, by property."""
    pairs = (each.partition(":") for each in text.split(";") if each.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


def write_style(style: Mapping[str, str]) -> str:
    """The same as text."""
    return "; ".join(f"{name}: {value}" for name, value in style.items())


def replace_fonts(style: Mapping[str, str], families: str) -> dict[str, str]:
    """A style that names a font of the figures, with these families in its place. `font`: `10px 'DejaVu Sans', …`."""
    own = FALLBACK.partition(",")[0]
    return {
        name: value[: value.index(own)] + families if name in ("font", "font-family") and own in value else value
        for name, value in style.items()
    }


def _round_numbers(value: str) -> str:
    """Numbers of a path or a transformation with two decimals."""
    value = " ".join(value.split())
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), value)
