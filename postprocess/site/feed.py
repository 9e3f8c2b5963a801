# SPDX-License-Identifier: BSD-3-Clause
"""An Atom feed (RFC 4287) of what has changed."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as Xml

from isochron.common.text import printable
from isochron.postprocess.site.record import Entry

SPACE = "http://www.w3.org/2005/Atom"
#: Entries of a feed, the newest ones.
MOST = 60


def feed(title: str, name: str, base: str, home: str, entries: Sequence[tuple[str, str, Entry]], measured: str) -> str:
    """A feed. `name`: what tells it from other feeds; `base`: address of the site, empty if none is known.

    `home`: its page; `entries`: name of the campaign, address of the page and what there is to say. Addresses are
    relative to the site's folder where the feed lies in it, and to its `base` if it is known. `measured`: when the
    newest run ended, which is the time of a feed without news.
    """
    news = sorted(entries, key=lambda each: (each[2].updated, each[0]), reverse=True)[:MOST]
    root = Xml.Element(f"{{{SPACE}}}feed")
    _add(root, "id", _identity(name))
    _add(root, "title", title)
    _add(root, "updated", news[0][2].updated if news else measured)
    _add(_add(root, "author"), "name", "Isochron")
    _add(root, "generator", "Isochron")
    _add(root, "link", rel="alternate", type="text/html", href=base + home)
    for campaign, page, entry in news:
        line = _add(root, "entry")
        _add(line, "id", _identity(f"{name}/{campaign}/{entry.run_id}/{entry.kind}"))
        _add(line, "title", f"{campaign}: {entry.title}")
        _add(line, "updated", entry.updated)
        _add(line, "category", term=entry.kind)
        _add(line, "link", rel="alternate", type="text/html", href=base + page)
        _add(line, "content", "\n".join(entry.lines) or entry.title, type="text")
    Xml.register_namespace("", SPACE)
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def address(path: str) -> str:
    """A path of the site as a part of an address."""
    return quote(path, safe="/.-_~+=")


def _identity(name: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'isochron:{name}')}"


def _add(parent: Xml.Element, tag: str, text: str = "", **words: str) -> Xml.Element:
    element = Xml.SubElement(parent, f"{{{SPACE}}}{tag}", words)
    element.text = "".join(each if each == "\n" or each >= " " else " " for each in printable(text)) or None
    return element
