# SPDX-License-Identifier: BSD-3-Clause
"""The script of docs/reference/studies.md names what its campaigns have, and misses no table of a run."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from isochron.common.files import FileError
from isochron.postprocess.kit.figure import FigureInfo, FigureList
from isochron.postprocess.kit.finding import FINDINGS, Finding, Findings
from isochron.postprocess.subjects.registry import TABLES
from isochron.schemas.input.published_findings import findings_path, load_findings, studies
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunState
from isochron.workflows.campaign_file import load_campaign
from scripts.study_statements import NOT_MEASURED, OPEN, statement_lines
from scripts.write_studies import MAX_BYTES, STUDIES, figure_lines, page
from tests.postprocess.reported import report
from tests.postprocess.synthetic import Spec, write_run

ROOT = Path(__file__).parents[2]
NAME = "two-sites-streams"
TABLE = "view-two-sites-pairs"


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_names_tables_and_columns_that_its_campaign_has(name: str) -> None:
    campaign = load_campaign(ROOT / "workflows" / "campaigns" / f"{name}.yaml")
    declared = {table.name: table for table in TABLES}
    for shown in STUDIES[name].tables:
        table = declared[shown.table]
        assert table.files(campaign), f"{name} has no {shown.table}"
        assert {*shown.columns, *shown.rows_of, *filter(None, [shown.worst])} <= set(table.columns)


def test_the_how_to_leads_to_every_study() -> None:
    how_to = (ROOT / "docs" / "how-to" / "repeat-a-study.md").read_text()
    written = (ROOT / "docs" / "reference" / "studies.md").read_text()
    for name, study in STUDIES.items():
        assert f"[`{study.command}`](../reference/studies.md#{name})" in how_to
        assert f"\n## {name}\n" in written and f"`{study.command}`" in written


def test_the_page_ends_with_every_statement_and_what_is_open() -> None:
    written = (ROOT / "docs" / "reference" / "studies.md").read_text()
    assert written.endswith("\n".join([*statement_lines(list(STUDIES)), ""]))
    *_, table = written.split("| --- | --- | --- | --- |\n")
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()]
    sentences = {
        (view, sentence.name): (view, sentence.text)
        for view in studies()
        for sentence in load_findings(findings_path(view)).sentences
    }
    checked = {(row[0], row[2]) for row in rows if row[-1] == "checked"}
    assert checked == {statement for key, statement in sentences.items() if key not in NOT_MEASURED}
    assert set(NOT_MEASURED) <= set(sentences)
    assert {row[-1].partition(".")[0].partition(":")[0] for row in rows} == {"checked", "open"}
    assert {name for name, *_ in OPEN} <= set(STUDIES)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """The results of one campaign: a run with what the page reads of it."""
    folder = tmp_path / "results" / NAME / "latest"
    folder.mkdir(parents=True)
    run = RunLayout(write_run(folder, Spec(stacks=["mpich-5.0"], operations=["bcast"], sizes=[8], launches=2)))
    RunState.load(run.state).model_copy(update={"updated_at": "2026-05-04T08:04:30Z"}).save(run.state)
    report(folder, steps=("ingest",))
    run.tables.mkdir()
    run.figures.mkdir()
    texts = {"result": "It is fast.", "note": "It is late."}
    findings = [Finding(kind="versions", severity=severity, text=text) for severity, text in texts.items()]
    Findings(findings=findings).save(run.tables / FINDINGS)
    figures = [FigureInfo(file="two-sites-pairs.svg", title="Pairs – simulated (x)", caption="Higher is faster.")]
    FigureList(figures=figures).save(run.figures / "figures.json")
    (run.figures / "two-sites-pairs.svg").write_text("<svg/>")
    pairs = pd.DataFrame(
        {
            "stack": "a", "placement": "near", "sites": "inside", "pairs": [1, 1, 1, 2], "bytes": [8, 64, 512, 8],
            "mb_per_s": 1.23456, "of_one_pair": 1.0, "trunk_share": float("nan"),
        }
    )  # fmt: skip
    pairs.to_csv(run.tables / f"{TABLE}.csv", index=False)
    return tmp_path / "results"


def test_a_page_has_findings_rows_and_a_small_figure(results: Path, tmp_path: Path) -> None:
    images = tmp_path / "images"
    text = page([tmp_path / "elsewhere", results], images)
    assert f"## {NAME}\n\n*Five MPI stacks on one machine.* `isochron run {NAME}`: 4 launches in 2 blocks" in text
    assert "4.5 minutes" in text and "- It is fast." in text and "It is late." not in text
    assert f"`{TABLE}.csv`, 3 of 4 rows:" in text  # the first and the last size of one pair, and that of two pairs
    assert "| near | inside | 1 | 512 | 1.235 | 1 |  |" in text
    assert "| --- | --- | ---: |" in text
    assert f"![Pairs](../images/studies/{NAME}.svg)" in text and (images / f"{NAME}.svg").read_text() == "<svg/>"
    assert "## mpiperf\n\n`isochron run mpiperf`: not run.\n" in text


def test_a_study_with_several_figures_shows_the_first_of_each_pattern(results: Path, tmp_path: Path) -> None:
    run = RunLayout(results / NAME / "latest")
    files = {"late-initialisation.svg": "Late", "mpiperf-rse.a.svg": "RSE of a", "mpiperf-rse.b.svg": "RSE of b"}
    FigureList(figures=[FigureInfo(file=file, title=title, caption="") for file, title in files.items()]).save(
        run.figures / "figures.json"
    )
    for file in files:
        (run.figures / file).write_text(file)
    text = "\n".join(figure_lines("mpiperf", STUDIES["mpiperf"], run, tmp_path / "images"))
    assert "![Late](../images/studies/mpiperf.svg)" in text and "![RSE of a](../images/studies/mpiperf-2.svg)" in text
    assert {path.name: path.read_text() for path in (tmp_path / "images").iterdir()} == {
        "mpiperf.svg": "late-initialisation.svg", "mpiperf-2.svg": "mpiperf-rse.a.svg",
    }  # fmt: skip


def test_a_large_figure_is_only_named(results: Path, tmp_path: Path) -> None:
    (results / NAME / "latest" / "figures" / "two-sites-pairs.svg").write_text(" " * (MAX_BYTES + 1))
    text = page([results], tmp_path / "images")
    assert "![" not in text and "Figures of the report: Pairs." in text


def test_a_table_or_column_that_a_run_lacks_is_an_error(results: Path, tmp_path: Path) -> None:
    path = results / NAME / "latest" / "tables" / f"{TABLE}.csv"
    pd.read_csv(path).drop(columns="pairs").to_csv(path, index=False)
    with pytest.raises(FileError, match=rf"{TABLE}.csv: has no column pairs"):
        page([results], tmp_path / "images")
    path.unlink()
    with pytest.raises(FileError, match=rf"{TABLE}.csv: missing"):
        page([results], tmp_path / "images")
