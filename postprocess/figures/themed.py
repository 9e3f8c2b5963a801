# SPDX-License-Identifier: BSD-3-Clause
"""An SVG file of ours as part of a page."""

from __future__ import annotations

import re
from html import escape
from math import ceil

from isochron.postprocess.figures.palette import VARIABLES

#: Fonts for readers other than the page, whose own font is used there.
FALLBACK = "'DejaVu Sans', 'Helvetica Neue', Arial, sans-serif"
#: The smallest letters that a figure of the page may have, in CSS pixels.
SMALLEST_PX = 12.0

#: What Matplotlib draws with, and its only style sheet. A figure may come with somebody else's run, and in a page its
#: elements would be the page's own.
ELEMENTS = frozenset({"svg", "g", "path", "use", "text", "tspan", "defs", "clipPath", "rect", "style", "image"})
ATTRIBUTES = frozenset(
    {"class", "clip-path", "clip-rule", "d", "height", "id", "preserveAspectRatio", "style", "transform", "type"}
    | {"version", "viewBox", "width", "x", "xlink:href", "xmlns", "xmlns:xlink", "y"}
)
STYLE = '<style type="text/css">*{stroke-linejoin: round; stroke-linecap: butt}</style>'
TAG = re.compile(r'<(/?)(\w+)((?:\s+[\w:-]+="[^"<>&]*")*)\s*/?>')
#: What an attribute must not refer to: anything but a part of the figure, or a picture that it holds.
ELSEWHERE = re.compile(r'href="(?!#|data:image/png;base64,)|url\((?!#)|\\', re.IGNORECASE)


def themed(text: str, prefix: str, title: str, description: str) -> str:
    """An SVG file as part of a page. Raises ValueError where it is none of ours.

    Colours become the page's variables, type becomes the page's, every id gets `prefix` (ids must
    be unique in a page), and the image gets a title and a description for those who cannot see it.
    """
    body = text[max(0, text.find("<svg")) :]
    body = re.sub(r"<metadata>.*?</metadata>|<!--[^<>]*-->", "", body, flags=re.DOTALL)
    _refuse_foreign(body)
    body = body.replace(f"{FALLBACK}", "var(--sans)")
    body = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', body)
    body = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", body)
    body = re.sub(r'href="#([^"]+)"', rf'href="#{prefix}-\1"', body)
    for colour, variable in VARIABLES.items():
        body = body.replace(colour, f"var({variable})")
    head = re.match(r'<svg[^>]*?viewBox="([^"]+)"[^>]*>', body)
    if head is None:
        raise ValueError("it has no viewBox")
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="{head[1]}" '
        f'role="img" aria-labelledby="{prefix}-title {prefix}-description" style="--readable: {readable(body)}px">'
        f'<title id="{prefix}-title">{escape(title)}</title>'
        f'<desc id="{prefix}-description">{escape(description)}</desc>'
    )
    return opening + body[head.end() :]


def _refuse_foreign(body: str) -> None:
    """Raise ValueError for anything that Matplotlib does not write; what is left are plain tags that all read alike."""
    if "<" in TAG.sub("", body):
        raise ValueError("it has more than plain elements")
    for _, name, attributes in TAG.findall(body):
        foreign = {word.split("=")[0] for word in re.findall(r'[\w:-]+="', attributes)} - ATTRIBUTES
        if name not in ELEMENTS or foreign:
            raise ValueError(f"it has {' '.join(['an element', name, *sorted(foreign)])}")
        if ELSEWHERE.search(attributes):
            raise ValueError(f"it refers to something outside:{attributes}")
    if "<style" in body.replace(STYLE, ""):
        raise ValueError("it has a style sheet of its own")


def readable(picture: str) -> int:
    """The width in CSS pixels from which on the smallest letters of an SVG picture can be read; 0 without letters."""
    width = re.search(r'viewBox="[^ "]+ [^ "]+ ([\d.]+)', picture)
    letters = [float(size) for size in re.findall(r"font(?:-size)?: ?(?:[a-z]+ )*([\d.]+)px", picture)]
    return ceil(float(width[1]) * SMALLEST_PX / min(letters)) if width and letters else 0
