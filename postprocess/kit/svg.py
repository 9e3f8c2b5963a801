# SPDX-License-Identifier: BSD-3-Clause
"""Figures as SVG trees: saved the same way every time, and made part of a page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import StringIO
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as Xml

from isochron.common.files import write_atomically
from isochron.postprocess.kit.figure import VARIABLES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    """Raise ValueError if elements are nested more deeply than in any figure: each level is a call when written."""
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
    first_font = FALLBACK.partition(",")[0]
    return {
        name: value[: value.index(first_font)] + families
        if name in ("font", "font-family") and first_font in value
        else value
        for name, value in style.items()
    }


def _round_numbers(value: str) -> str:
    """Numbers of a path or a transformation with two decimals."""
    value = " ".join(value.split())
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), value)


#: The smallest letters that a figure of the page may have, in CSS pixels.
SMALLEST_PX = 12.0

#: What Matplotlib draws with, and its only style sheet. A figure may come with somebody else's run, and in a page its
#: elements would be the page's own.
ELEMENTS = frozenset({"svg", "g", "path", "use", "text", "tspan", "defs", "clipPath", "rect", "style", "image"})
ATTRIBUTES = frozenset(
    {"class", "clip-path", "clip-rule", "d", "height", "id", "preserveAspectRatio", "style", "transform", "type"}
    | {"version", "viewBox", "width", "x", "xlink:href", "y"}
)
STYLE = "*{stroke-linejoin: round; stroke-linecap: butt}"
#: Pictures that a figure may hold.
HELD = "data:image/png;base64,"


def themed(text: str, prefix: str, title: str, description: str) -> str:
    """An SVG file as part of a page. Raises ValueError if it is none of Isochron's.

    Colours become the page's variables, type becomes the page's, every id gets `prefix` (ids must
    be unique in a page), and the image gets a title and a description for those who cannot see it.
    """
    source = read_svg(text)
    width = readable(source)
    picture = Xml.Element("svg", {
        "viewBox": source.attrib["viewBox"], "role": "img", "aria-labelledby": f"{prefix}-title {prefix}-description",
        "style": f"--readable: {width}px",
    })  # fmt: skip
    for name, words in (("title", title), ("desc", description)):
        label = Xml.SubElement(picture, name, {"id": f"{prefix}-{'title' if name == 'title' else 'description'}"})
        label.text = words
    picture.extend([_part(each, prefix) for each in source if each.tag != "metadata"])
    return write_svg(picture)


def _part(source: Xml.Element, prefix: str) -> Xml.Element:
    """An element as part of the page, with all that is in it. Raises ValueError for what Matplotlib does not write."""
    name, foreign = source.tag, sorted(source.attrib.keys() - ATTRIBUTES)
    if name not in ELEMENTS or foreign:
        raise ValueError(f"it has {' '.join(['an element', _plain(name), *map(_plain, foreign)])}")
    if name == "style" and ((source.text or "").strip() != STYLE or len(source)):
        raise ValueError("it has a style sheet of its own")
    part = Xml.Element(name, {key: _value(key, value, prefix) for key, value in source.attrib.items()})
    part.text, part.tail = source.text, source.tail
    part.extend([_part(each, prefix) for each in source])
    return part


def _value(name: str, value: str, prefix: str) -> str:
    """The value of an attribute in the page. Raises ValueError if it refers to anything outside the figure."""
    link = name == "xlink:href"
    outside = "\\" in value or value.lower().count("url(") != value.count("url(#")
    if outside or (link and not value.startswith(("#", HELD))):
        raise ValueError(f"it refers to something outside: {name}={value}")
    if name == "id":
        return f"{prefix}-{value}"
    if link:
        return f"#{prefix}-{value[1:]}" if value.startswith("#") else value
    if name == "style":
        style = replace_fonts(read_style(value), "var(--sans)")
        colours = {key: f"var({VARIABLES[each]})" if each in VARIABLES else each for key, each in style.items()}
        value = write_style(colours)
    return value.replace("url(#", f"url(#{prefix}-")


def readable(picture: Xml.Element) -> int:
    """The width in CSS pixels from which on the smallest letters of a picture can be read; 0 without letters.

    Raises ValueError if either is not known.
    """
    styles = (read_style(element.get("style", "")) for element in picture.iter())
    words = " ".join(style.get(name, "") for style in styles for name in ("font", "font-size")).split()
    letters = [_number(word.removesuffix("px")) for word in words if word.endswith("px")]
    box = [_number(word) for word in picture.get("viewBox", "").split()]
    if len(box) != 4 or min(letters, default=1) <= 0:
        raise ValueError("it has no viewBox, or letters without a size")
    return ceil(box[2] * SMALLEST_PX / min(letters)) if letters else 0


def _number(word: str) -> float:
    """A length. Raises ValueError if it is none, or none that a figure has."""
    if not re.fullmatch(r"-?[0-9]{1,6}(\.[0-9]{1,12})?", word):
        raise ValueError(f"it has a length that is not a number up to 999999: {word[:40]}")
    return float(word)


def _plain(name: str) -> str:
    """A name without its name space."""
    return name.rpartition("}")[2]
