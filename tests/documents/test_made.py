# SPDX-License-Identifier: BSD-3-Clause
"""What the documentation takes from the sources is what they say: words, costs, verbs, pictures."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from isochron.cli.main import parser
from isochron.postprocess.formatting.glossary import GLOSSARY
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.planning.power import detectable
from tests.documents.pages import PAGES, ROOT

SCRIPTS, DOCS = ROOT / "scripts", ROOT / "docs"


def test_glossary_and_costs_are_what_the_sources_say(tmp_path: Path) -> None:
    script = SCRIPTS / "write_guidance.py"
    runpy.run_path(str(script))["main"](tmp_path)
    pages = sorted(tmp_path.glob("*.md"))
    assert [page.name for page in pages] == ["cost.md", "glossary.md"]
    for page in pages:
        assert (DOCS / "reference" / page.name).read_text() == page.read_text(), f"run: python {script}"


def test_every_word_of_the_report_is_in_the_glossary() -> None:
    text = (DOCS / "reference" / "glossary.md").read_text()
    assert [word for word in GLOSSARY if f"| {word} |" not in text] == []


def test_the_costs_are_those_of_the_formula() -> None:
    """Read back from the page: what ten blocks find, and that the blocks named find what they are named for."""
    made = runpy.run_path(str(SCRIPTS / "write_guidance.py"))
    text = (DOCS / "reference" / "cost.md").read_text()
    plan = make_plan(made["campaign"](10))
    (row,) = re.findall(r"^\| 10 \| 20 \| (.*) \|$", text, flags=re.MULTILINE)
    for cell, spread in zip(row.split(" | "), made["SPREADS"], strict=True):
        found = detectable(made["campaign"](10), plan, spread)
        assert found is not None and cell == f"{100 * (found - 1):.0f} %"
    rows = re.findall(r"^\| (\d+) % \| (.*) \|$", text, flags=re.MULTILINE)
    assert len(rows) == len(made["WANTED"])
    for wanted, cells in rows:
        for cell, spread in zip(cells.split(" | "), made["SPREADS"], strict=True):
            if match := re.match(r"(\d+) blocks,", cell):
                blocks, ratio = int(match[1]), 1 + int(wanted) / 100
                fewer, found = (detectable(made["campaign"](each), plan, spread) for each in (blocks - 1, blocks))
                assert found is not None and found <= ratio
                assert blocks == 3 or fewer is None or fewer > ratio, "no design has fewer"


def test_the_commands_reference_has_every_verb_and_only_options_that_are() -> None:
    text = (DOCS / "reference" / "cli.md").read_text()
    (choices,) = (action.choices for action in parser()._actions if action.dest == "verb")
    assert choices is not None
    lines = re.findall(r"^\| `isochron ([a-z]+)[^|]*(?:\\\|[^|]*)*\| (.*) \|$", text, flags=re.MULTILINE)
    assert {verb for verb, _ in lines} == set(choices)
    for verb, line in lines:
        known = {option for action in choices[verb]._actions for option in action.option_strings}
        unknown = {option for option in re.findall(r"`(--[a-z-]+)", line) if option not in known}
        assert not unknown - {"--"}, f"isochron {verb}: {unknown}"


def test_pictures_are_made_by_the_script_and_shown() -> None:
    pictures = runpy.run_path(str(SCRIPTS / "take_pictures.py"))["PICTURES"]
    assert {path.name for path in (DOCS / "images").iterdir() if path.is_file()} == set(pictures)
    for name in pictures:
        assert any(f"images/{name})" in page.read_text() for page in PAGES), name


def test_a_graph_is_drawn_without_a_script() -> None:
    drawn = runpy.run_path(str(SCRIPTS / "site" / "diagram.py"))["drawn"]
    figure = drawn("graph LR\n  a --> b\n  b --> c\n  a --> c\n  c -. starts .-> d\n")
    assert figure.count("<rect") == 4 and figure.count("marker-end") == 4
    assert figure.count("stroke-dasharray") == 1 and "a to b; b to c; a to c; c to d" in figure
    places = dict(re.findall(r'<text x="([\d.]+)"[^>]*>(\w)<', figure))
    assert [places[x] for x in sorted(places, key=float)] == ["a", "b", "c", "d"]
    for wrong, message in (("graph LR\n a --> b\n b --> a", "circle"), ("graph LR\n a ==> b", "no arrow")):
        with pytest.raises(ValueError, match=message):
            drawn(wrong)
