# SPDX-License-Identifier: BSD-3-Clause
"""Where the links of a site lead: those of every page, feed and script that it has."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from tests.postprocess.synthetic import Spec

#: Of the site that tests look at.
SPEC = Spec(
    stacks=["openmpi-5.0", "mpich-5.0"],
    operations=["bcast", "barrier"],
    sizes=[8, 512],
    processes=[4],
    launches=6,
    runs=4,
)
RUNS = 18
ATOM = "{http://www.w3.org/2005/Atom}"
#: Attributes that name another file.
NAMING = ("href", "src")


class Page(HTMLParser):
    """Links, names and words of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.elements: list[dict[str, str]] = []
        self.policy = ""
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        words = {name: value or "" for name, value in attrs}
        self.elements.append(words)
        self.links += [words[name] for name in NAMING if name in words]
        self.names |= {words["id"]} if "id" in words else set()
        if words.get("http-equiv") == "Content-Security-Policy":
            self.policy = words["content"]

    def having(self, **attributes: str) -> list[dict[str, str]]:
        """The elements with these attributes."""
        return [words for words in self.elements if attributes.items() <= words.items()]


def wrong_links(site: Path) -> list[str]:
    """Links that lead nowhere or out of the site, as `page: link`; those that hold their content are right."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    wrong = []
    for path, page in pages.items():
        wrong += [f"{path.relative_to(site)}: {link}" for link in page.links if not _right(site, path, link, pages)]
    for path in site.rglob("*.xml"):
        links = [each.attrib["href"] for each in ElementTree.parse(path).iter(f"{ATOM}link")]
        wrong += [f"{path.relative_to(site)}: {link}" for link in links if not _right(site, path, link, pages)]
    return wrong


def _right(site: Path, page: Path, link: str, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme == "data":
        return True
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return False
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_file() or not target.is_relative_to(site.resolve()):
        return False
    if parts.fragment and target.name == "compare.html":
        return all(_run_is_there(site, unquote(word)) for word in parts.fragment.split("&"))
    return not parts.fragment or unquote(parts.fragment) in pages[target].names


def _run_is_there(site: Path, word: str) -> bool:
    """`a=campaign/run` of the page of comparisons; the run may be left open."""
    campaign, _, run = word.partition("=")[2].partition("/")
    return not run or (site / "campaigns" / campaign / "runs" / f"{run}.js").is_file()
