# SPDX-License-Identifier: BSD-3-Clause
"""An SVG file of Isochron's as part of a page."""

from __future__ import annotations

from math import ceil
from xml.etree import ElementTree as Xml

from isochron.postprocess.kit.figure__palette import VARIABLES
from isochron.postprocess.kit.svg__svg import read_style, read_svg, replace_fonts, write_style, write_svg

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
    """An SVG file as part of a page. Raises ValueError where it is none of Isochron's.

    Colours become the page's variables, type becomes the page's, every id gets `prefix` (ids must
    be unique in a page), and the image gets a title and a description for those who cannot see it.
    """
    source = read_svg(text)
    picture = Xml.Element("svg", {
        "viewBox": source.attrib["viewBox"], "role": "img", "aria-labelledby": f"{prefix}-title {prefix}-description",
        "style": f"--readable: {readable(source)}px",
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
    if name == "style" and (source.text or "").strip() != STYLE:
        raise ValueError("it has a style sheet of its own")
    part = Xml.Element(name, {key: _value(key, value, prefix) for key, value in source.attrib.items()})
    part.text, part.tail = source.text, source.tail
    part.extend([_part(each, prefix) for each in source])
    return part


def _value(name: str, value: str, prefix: str) -> str:
    """The value of an attribute in the page. Raises ValueError where it refers to anything outside the figure."""
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

    Raises ValueError where either is not known.
    """
    styles = (read_style(element.get("style", "")) for element in picture.iter())
    words = " ".join(style.get(name, "") for style in styles for name in ("font", "font-size")).split()
    letters = [float(word.removesuffix("px")) for word in words if word.endswith("px")]
    box = picture.get("viewBox", "").split()
    if len(box) != 4 or min(letters, default=1) <= 0:
        raise ValueError("it has no viewBox, or letters without a size")
    return ceil(float(box[2]) * SMALLEST_PX / min(letters)) if letters else 0


def _plain(name: str) -> str:
    """A name without its name space."""
    return name.rpartition("}")[2]
