# SPDX-License-Identifier: BSD-3-Clause
"""The front page, badge and feed say what the reports say, and when runs were measured, are due, or were missed."""

from __future__ import annotations

import html
import os
import re
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from isochron.postprocess.__main__ import main as postprocess
from isochron.postprocess.estimate.history_cache.facts import Difference
from isochron.postprocess.export.content import Content
from isochron.postprocess.ingest.inputs import load_inputs
from isochron.postprocess.report.render import templates
from isochron.postprocess.site.differences import without_hashes
from isochron.postprocess.site.discovery import Run, campaigns, in_its_folder, without_places
from isochron.postprocess.site.front import last_week
from isochron.postprocess.site.publish import Line, SiteOptions, publish
from isochron.postprocess.site.record import NAME, NEITHER, Answered, Entry, Site, Summary, Told
from isochron.postprocess.site.schedule import schedule
from isochron.postprocess.subjects.answer.table import ANSWERS
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunState
from isochron.stats.changes.search import FEWEST
from isochron.workflows.runs import complete_runs
from tests.postprocess.site.walk import ATOM, wrong_links
from tests.postprocess.synthetic import Spec, write_run
from tests.shared import Shared

pytestmark = pytest.mark.heavy

SPEC = Spec(
    stacks=["mpich-4.3", "mpich-5.0"], operations=["bcast", "allreduce"], sizes=[512], processes=[4], launches=10,
    runs=4, launch_spread=0.02, planted={("mpich-5.0", "bcast", 512): 2.2}, name="night",
)  # fmt: skip
START = datetime(2026, 10, 20, 4, tzinfo=UTC)


def begun(run: RunLayout, day: float, **changed: str | int) -> None:
    moment = (START + timedelta(days=day)).isoformat()
    words = {"state": "complete", "run_id": run.run_id, "created_at": moment, "updated_at": moment}
    RunState.load(run.state).model_copy(update=words | changed).save_sealed(run.state)


@pytest.fixture(scope="session")
def analysed(shared: Shared) -> Path:
    """Two analysed runs, of which only the first shows a loss, and the `site` over them. Not to be changed."""

    def make(folder: Path) -> None:
        for number, spec in enumerate((SPEC, replace(SPEC, planted={}, seed=8))):
            run = RunLayout(write_run(folder / f"results/night/2026102{number}T040000Z-000{number}", spec))
            begun(run, number)
            assert [postprocess([step, str(run.root)]) for step in ("ingest", "analyse")] == [0, 0]
        publish(SiteOptions(folder / "site", [folder / "results"], "Our machines", reports=0))

    return shared("published-answers", make)


def words(page: Path) -> str:
    """The words of a page, without its marks."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page.read_text())))


def summary(site: Path) -> Summary:
    return Site.load(site / NAME).campaigns["night"].summary


def contents(folder: Path) -> list[Content]:
    return [Content(load_inputs(path)) for path in sorted((folder / "results/night").iterdir())]


def test_the_front_page_and_badge_have_the_headline_of_the_newest_report(analysed: Path) -> None:
    before, newest = contents(analysed)
    assert before.answer is not None and newest.answer is not None
    (former,), (answer,) = before.answer.answers, newest.answer.answers
    assert former.word == "Do not upgrade" != answer.word
    text = words(analysed / "site/index.html")
    assert f"{answer.word} {answer.older} → {answer.newer}" in text and "inconclusive" not in text
    for figure in answer.figures[:3]:
        assert f"{figure.label}: {figure.value} {figure.interval}" in text
    assert f"quality {newest.answer.letter}" not in text  # beside the link to the report, which is not in this site
    badge = ElementTree.parse(analysed / "site/campaigns/night/badge.svg").getroot()
    assert badge.attrib["aria-label"] == f"night: {answer.word}"
    assert wrong_links(analysed / "site") == []


def test_the_feed_tells_each_answer_that_is_another_one(analysed: Path) -> None:
    contents_of_runs = contents(analysed)
    said = [content.answer.answers[0].word for content in contents_of_runs if content.answer]
    for feed in ("feed.xml", "campaigns/night/feed.xml"):
        entries = ElementTree.parse(analysed / "site" / feed).getroot().findall(f"{ATOM}entry")
        titles = [str(entry.findtext(f"{ATOM}title")) for entry in entries]
        answers = [title for title in titles if "→" in title]
        assert said[1] in answers[0] and f"before: {said[0]}" in answers[0]
        assert said[0] in answers[1] and "before" not in answers[1]
        assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(entries)


def test_the_trend_has_the_ratios_of_the_reports(analysed: Path) -> None:
    (trend,) = summary(analysed / "site").trends
    assert trend.label == "Time of mpich-5.0 / mpich-4.3 over 2 runs"
    assert len(trend.dots) == len(trend.bars) == 2 and (trend.first, trend.last) == ("2026-10-20", "2026-10-21")
    for (x, y), (at, low, high) in zip(trend.dots, trend.bars, strict=True):
        assert x == at and high < y < low  # upwards is slower


def test_a_loss_and_a_gain_have_lines_of_their_own_unless_neither_is_established() -> None:
    loss, none, whole, decided = (
        Answered(label=label, value=value, interval="", where="")
        for label, value in (("Worst loss", "2×"), ("Best gain", "none"), ("On the whole", "1×"), ("Decided", "1"))
    )
    for pair in ([loss, none], [none, loss]):
        told = Told(older="a", newer="b", decision="", word="", sentence="", numbers=[*pair, whole, decided])
        assert told.decisive == [*pair, whole]
    told = told.model_copy(update={"numbers": [none, none, whole, decided]})
    assert [each.label for each in told.decisive] == [NEITHER, "On the whole"]


def test_the_plot_of_a_question_is_below_its_numbers_and_changes_are_behind_their_number(analysed: Path) -> None:
    page = (analysed / "site/index.html").read_text()
    (question,) = re.findall(r'<div class="question">.*?</div>', page, re.DOTALL)
    assert question.index("On the whole") < question.index('<figure class="trend">') and page.count("<figure") == 1
    number = len(summary(analysed / "site").week)
    assert f"<summary>{number} change{'s' * (number > 1)}<" in page


def test_the_front_page_tells_when_speed_can_be_told_what_is_due_and_what_changed(analysed: Path) -> None:
    about = summary(analysed / "site")
    assert about.speed == f"Not known yet: it can be told after {FEWEST - 2} more runs (2 of {FEWEST})."
    assert about.schedule.measured == "2026-10-21 04:00 UTC" and about.schedule.troubles == []
    (changed,) = [line for line in about.week if "→" in line and "before: Do not upgrade" in line]
    assert changed.startswith("2026-10-21: ")
    text = words(analysed / "site/index.html")
    assert about.speed in text and changed in text and about.schedule.measured in text and "due" not in text


def test_the_fastest_stacks_are_those_of_the_findings(analysed: Path) -> None:
    newest = contents(analysed)[-1]
    won = {f.numbers["stack"]: f.details for f in newest.findings if f.kind == "fastest"}
    assert dict(summary(analysed / "site").standing.fastest) == won != {}
    text = words(analysed / "site/index.html")
    assert all(
        f"{stack} at " in text and " ".join(line.split()) in text for stack, lines in won.items() for line in lines
    )


def test_a_newest_run_without_analysis_is_told(analysed: Path, tmp_path: Path) -> None:
    shutil.copytree(analysed / "results", tmp_path / "results")
    newest = sorted((tmp_path / "results/night").iterdir())[-1]
    (newest / "tables/findings.json").unlink()
    publish(SiteOptions(tmp_path / "site", [tmp_path / "results"]))
    text = words(tmp_path / "site/index.html")
    assert "No answer: tables/findings.json" in text and str(tmp_path) not in text


def run_at(folder: Path, day: float, state: str = "complete", reason: str = "") -> Run:
    layout = RunLayout(folder / f"day-{day}")
    moment = (START + timedelta(days=day)).isoformat()
    fields = dict.fromkeys(RunState.model_fields, "") | {
        "schema_version": 1, "planned_launches": 4, "measured_launches": 4, "failed_blocks": [], "state": state,
        "reason": reason, "created_at": moment, "updated_at": moment, "run_id": layout.run_id,
    }  # fmt: skip
    return Run(layout, RunState.model_validate(fields), "digest")


@pytest.mark.parametrize(
    ("days", "due", "every", "troubles"),
    [
        ([0], "", "", []),
        ([0, 7, 14], "", "", []),
        ([0, 7, 14, 21], "2026-11-17", "7 days", []),
        ([0, 1, 1.1, 4, 4.5, 9], "", "", []),  # as it came
        ([0, 1, 2, 5, 6], "2026-10-27", "day", ["2 runs missed between 2026-10-22 and 2026-10-25"]),
        ([0, 1, 4, *range(5, 60)], "2026-12-19", "day", []),  # the gap is older than a month
    ],
)
def test_due_and_missed_runs(tmp_path: Path, days: list[float], due: str, every: str, troubles: list[str]) -> None:
    plan = schedule([run_at(tmp_path, day) for day in days])
    assert (plan.due[:10], plan.every, plan.troubles) == (due, every, troubles)


def test_runs_that_did_not_complete_are_told_with_their_reason(tmp_path: Path) -> None:
    plan = schedule([run_at(tmp_path, 0), run_at(tmp_path, 1, "failed", "no nodes"), run_at(tmp_path, 2, "planned")])
    assert plan.run == "day-0" and plan.measured.startswith("2026-10-20")
    assert plan.troubles == ["day-1: failed, no nodes", "day-2: planned"]


def test_a_due_date_and_what_holds_for_further_runs_are_on_the_card(analysed: Path) -> None:
    about = summary(analysed / "site")
    (told,) = about.standing.answers
    assert told.again == ""  # after one run nothing can be said
    told = told.model_copy(update={"again": "Judged by 3 runs, 18 of 20 verdicts also hold for further runs."})
    line = Line("night", about.model_copy(update={
        "standing": about.standing.model_copy(update={"answers": [told]}),
        "schedule": about.schedule.model_copy(update={"due": "2026-10-22 04:00 UTC", "every": "day"}),
    }))  # fmt: skip
    card = str(templates().get_template("templates/site/parts.html.j2").module.card(line))  # type: ignore[attr-defined]
    assert f"<li>{told.again}</li>" in card and "Next due 2026-10-22 04:00 UTC (usually every day)." in card


def test_what_holds_for_further_runs_is_that_of_the_report(analysed: Path, tmp_path: Path) -> None:
    shutil.copytree(analysed / "results", tmp_path / "results")
    newest = RunLayout(sorted((tmp_path / "results/night").iterdir())[-1])
    table = pd.read_parquet(newest.kept(ANSWERS.name))
    table.assign(again_runs=3, again_claims=2, again_hold=1).to_parquet(newest.kept(ANSWERS.name), index=False)
    publish(SiteOptions(tmp_path / "site", [tmp_path / "results"]))
    (told,) = summary(tmp_path / "site").standing.answers
    assert told.again == "Judged by 3 runs, 1 of 2 verdicts also hold for further runs."


def test_hashes_are_counted_and_versions_are_named() -> None:
    listed = [
        Difference("library", "b", "libmpi.so", "0805c27c1667", "879d42cd3aa9"),
        Difference("library", "b", "version", "5.0.1", "5.0.2"),
        *(Difference("engine", stack, "engine's build", "3fbf04cfef36", "fe1db1cff1a8") for stack in "abc"),
        Difference("library", "c", "libmpi.so", "0805c27c1667", "879d42cd3aa9"),
        Difference("kernel", "", "kernel", "6.1", "6.2"),
    ]
    assert without_hashes(listed) == [
        "b version: 5.0.1 → 5.0.2 (MPI library)",
        "kernel: 6.1 → 6.2 (kernel)",
        "c: 1 file of the library changed (MPI library)",
        "measurement engine changed (3 libraries)",
    ]


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("IndexError; see /tmp/m/results2/night/RUN/log/analyse.log", "IndexError; see log/analyse.log"),
        ("no /scratch/me/hosts.yaml; ~/x/y is gone", "no hosts.yaml; y is gone"),
        ("read https://example.org/a/b and a/b, 3/4", "read https://example.org/a/b and a/b, 3/4"),
    ],
)
def test_no_place_of_a_file_is_told(tmp_path: Path, reason: str, told: str) -> None:
    layout = RunLayout(tmp_path / "night/20261020T040000Z-0000")
    assert without_places(reason.replace("RUN", layout.run_id), layout) == told
    assert without_places(f"see {layout.root}/plan.json", layout) == "see plan.json"


def test_neither_pages_nor_reports_have_the_folder_of_a_run_or_its_engines(analysed: Path, tmp_path: Path) -> None:
    shutil.copytree(analysed / "results", tmp_path / "results")
    before, newest = (RunLayout(path) for path in sorted((tmp_path / "results/night").iterdir()))
    begun(before, 0, state="failed", reason=f"analyse: see /elsewhere/results/night/{before.run_id}/log/analyse.log")
    before.report.parent.mkdir(exist_ok=True)
    text = f"<dd>/elsewhere/night/{newest.run_id}/stacks/mpich-5.0/isochron-engine</dd>"
    assert in_its_folder(text, newest) == "<dd>stacks/mpich-5.0/isochron-engine</dd>"
    publish(SiteOptions(tmp_path / "site", [tmp_path / "results"]))
    assert "failed, analyse: see log/analyse.log" in words(tmp_path / "site/index.html")
    files = [path.read_text() for path in (tmp_path / "site").rglob("*") if path.is_file()]
    assert not any("/elsewhere/" in file or str(tmp_path) in file for file in files)


def test_a_run_that_was_analysed_again_after_its_failure_is_complete(analysed: Path, tmp_path: Path) -> None:
    shutil.copytree(analysed / "results", tmp_path / "results")
    run, _ = (RunLayout(path) for path in sorted((tmp_path / "results/night").iterdir()))
    run.report.parent.mkdir(exist_ok=True)
    run.report.write_text("")
    failure = START.timestamp()
    for after, is_complete in ((-60, False), (60, True)):
        begun(run, 0, state="failed", reason="analyse: IndexError")
        os.utime(run.report, (failure + after, failure + after))
        plan = schedule(campaigns([tmp_path / "results"])[0].runs)
        assert plan.troubles == ([] if is_complete else [f"{run.run_id}: failed, analyse: IndexError"])
        assert len(complete_runs(tmp_path / "results", "night")) == 1 + is_complete
    begun(run, 0, state="failed", reason="3 launches are missing", measured_launches=1)
    assert len(complete_runs(tmp_path / "results", "night")) == 1


def test_only_news_of_the_last_seven_days_is_listed() -> None:
    def entry(day: int, begins: bool = False) -> Entry:
        when = (START + timedelta(days=day)).isoformat()
        return Entry(
            run_id=f"r{day}", kind="answer", title=f"{day} (run r{day})", lines=[], updated=when, begins=begins
        )

    newest = (START + timedelta(days=10)).isoformat()
    listed = last_week([entry(10), entry(4), entry(3), entry(9, begins=True)], newest)
    assert listed == ["2026-10-30: 10", "2026-10-24: 4"]
