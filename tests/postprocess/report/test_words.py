# SPDX-License-Identifier: BSD-3-Clause
"""The words of the report, in every state that a first screen can be in: the reader's, and rightly put."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from isochron.postprocess.formatting.glossary import GLOSSARY
from isochron.postprocess.ingest.inputs import RunInputs
from tests.postprocess.report.states import STATES, report
from tests.shared import Shared

pytestmark = pytest.mark.heavy

#: Words of the trade, which the first screen does without.
TRADE = re.compile(r"\b(rows?|cases?|(un)?reliable)\b", re.IGNORECASE)
#: One thing with an s, several without; `1/2`, `2.1 sizes` and `b1 launches` are none of these.
SINGULAR = re.compile(
    r"(?<![\w.,/\u202f-])1 (comparisons|blocks|launches|rows|cases|sizes|stacks|runs|minutes|values|"
    r"processes|nodes|operations|places|points|others are|more rows|are |were |have )\b"
)
#: What stands in one of these is no sentence with what stands in the next.
PARTS = {"caption", "dd", "dt", "h2", "h3", "li", "p", "summary", "td", "th"}
VOID = {"meta", "br", "input", "link", "img", "hr"}
BRACKETS = re.compile(r"\w\((s|es)\)")


class Texts(HTMLParser):
    """What can be read of a page, tooltips and names for screen readers too; in `first`, that of the first screen."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.all: list[str] = []
        self.first: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in VOID:
            self.open.append("first" if tag == "header" or given.get("id") == "answer" else tag)
        for name in ("title", "aria-label", "placeholder", "alt"):
            self.take(given.get(name) or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in PARTS:
            self.all.append("|")
        if tag not in VOID:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.take(data)

    def take(self, text: str) -> None:
        """Commands and names of files are not words."""
        self.all.append(text)
        if "first" in self.open and "code" not in self.open and not re.search(r"\.(csv|json|html)\b", text):
            self.first.append(text)


def faults(page: str) -> list[str]:
    texts = Texts(page)
    whole, first = (" ".join(" ".join(parts).split()) for parts in (texts.all, texts.first))
    assert len(first) > 20
    found = [f"trade: {match[0]} in …{around(first, match)}" for match in TRADE.finditer(first)]
    found += [f"number: {around(whole, match)}" for match in (*SINGULAR.finditer(whole), *BRACKETS.finditer(whole))]
    return found + [f"backtick: {around(whole, match)}" for match in re.finditer("`", whole)]


def around(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - 60) : match.end() + 60]


def test_words_of_a_whole_campaign(demo: RunInputs) -> None:
    found = [each for page in demo.layout.report.parent.glob("*.html") for each in faults(page.read_text())]
    assert found == []


def test_words_of_a_small_one(shared: Shared) -> None:
    assert faults(report(shared, "adopt").read_text()) == []


@pytest.mark.slow
@pytest.mark.parametrize("state", sorted(STATES))
def test_words_of_every_state(shared: Shared, state: str) -> None:
    assert faults(report(shared, state).read_text()) == []


def test_each_word_of_the_glossary_is_explained_where_it_stands(shared: Shared) -> None:
    """With the mouse by its title, with keyboard and finger by a link into the glossary."""
    page = report(shared, "adopt").read_text()
    linked = re.findall(r'<a class="term" href="#word-([\w-]+)" title="([^"]+)">', page)
    assert len(linked) >= 4
    for word, meaning in linked:
        assert GLOSSARY[word.replace("-", " ")] == meaning
        assert f'<div id="word-{word}">' in page
