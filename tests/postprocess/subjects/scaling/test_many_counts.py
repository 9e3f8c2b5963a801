# SPDX-License-Identifier: BSD-3-Clause
"""A campaign of three stacks and ten process counts stays readable: how tall its page is, and what it says twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from isochron.postprocess.__main__ import main as postprocess
from isochron.postprocess.estimate.models.departures import REASONS
from isochron.schemas.run.layout import RunLayout
from tests.browser import DESK, PHONE, needs_browser, opened
from tests.looks import measure, open_all
from tests.postprocess.estimate.models.scaled import ALGORITHMS, GIVEN, truth
from tests.postprocess.synthetic import Spec, write_run

pytestmark = [pytest.mark.slow, pytest.mark.process]

STACKS = ["mpich-4.3", "mpich-5.0", "openmpi-5.0"]
SIZES = [8, 128, 1024, 16384, 65536]
#: Half of the curves are this far from their model, up or down.
FAR = {
    (stack, operation, size): 1.7 if stack == "mpich-5.0" else 0.45
    for stack in STACKS[:2]
    for operation in ALGORITHMS
    for size in SIZES[1:4]
}
SPEC = Spec(
    stacks=STACKS,
    operations=[*ALGORITHMS],
    sizes=SIZES,
    processes=[2**k for k in range(4, 14)],
    processes_per_node=[8],
    launches=4,
    runs=5,
    launch_spread=0.01,
    run_spread=0.01,
    truth=truth,
    planted=FAR,
    analysis={"model": GIVEN},
)
#: Pixels by width. Before there were 26,900 at 1280, and 21,100 of the section on a page of its own.
MAX_PIXELS, MAX_OF_THE_SECTION = {1280: 16_000, 390: 22_000}, 3_600


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = write_run(tmp_path_factory.mktemp("many") / "run", SPEC)
    for step in ("ingest", "analyse", "render"):
        assert postprocess([step, str(run)]) == 0
    return RunLayout(run).report


def whole(report: Path) -> str:
    """All pages of the report."""
    return "".join(path.read_text() for path in sorted(report.parent.glob("*.html")))


def home(report: Path) -> Path:
    """The page that has the section: one of its own where the report is large."""
    own = report.with_name("scalability.html")
    return own if own.is_file() else report


def test_each_explanation_stands_once_in_the_section_and_slower_curves_come_first(report: Path) -> None:
    text = whole(report)
    section = max(re.findall(r'<section id="scalability".*?</section>', text, flags=re.DOTALL), key=len)
    said = [kind for kind, sentence in REASONS.items() if sentence[1:] in section]
    assert said
    assert all(section.count(REASONS[kind][1:]) == 1 for kind in said)
    first = section[: section.index("</table>")]
    ranks = [int(rank) for rank in re.findall(r"</span></th><td>(\d+)</td>", first)]
    words = re.findall(r"× (slower|faster)</span> at", first)
    assert ranks == list(range(1, len(words) + 1))
    assert words.count("slower") >= 10 and words.count("faster") >= 10 and words == sorted(words, reverse=True)


@needs_browser
@pytest.mark.parametrize("size", [DESK, PHONE])
def test_the_page_is_short_and_nothing_is_cut(browser: Browser, report: Path, size: tuple[int, int]) -> None:
    for page, most in ((report, MAX_PIXELS[size[0]]), (home(report), MAX_OF_THE_SECTION)):
        with opened(browser, page, size) as tab:
            part = "#scalability" if page == home(report) else "html"
            tall = tab.evaluate(f"document.querySelector('{part}').getBoundingClientRect().height")
            print(page.name, size[0], tall)
            assert tall <= most
            assert measure(tab)[:2] == ([], [])
            assert tab.complaints() == []


@needs_browser
def test_folds_of_the_section_are_not_cut_on_a_phone(browser: Browser, report: Path) -> None:
    with opened(browser, home(report), PHONE) as tab:
        open_all(tab)
        assert measure(tab)[:2] == ([], [])
        assert tab.complaints() == []
