# SPDX-License-Identifier: BSD-3-Clause
"""A run in the formats of others: each says what the tables say, and nothing in it means anything to its reader."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
from openpyxl import load_workbook

from isochron.cli.main import main
from isochron.common.files import FileError
from isochron.common.text import in_markdown, without_marks
from isochron.postprocess.__main__ import main as postprocess
from isochron.postprocess.export import formats, pdf
from isochron.postprocess.export.content import Content
from isochron.postprocess.export.data import WIDEST, _names, junit, workbook
from isochron.postprocess.export.documents import escaped
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.schemas.exports import FORMATS
from isochron.schemas.input.question import Question
from tests.postprocess.synthetic import Spec, write_run

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def content(demo: RunInputs) -> Content:
    return Content(demo)


def exported(content: Content, form: str) -> str:
    return formats.exported(form, [content.inputs]).decode()


def test_every_format_is_made() -> None:
    assert set(FORMATS) == set(formats.OF_A_RUN) | set(formats.OF_ALL_RUNS)
    assert {name for name, each in FORMATS.items() if each.of_all_runs} == set(formats.OF_ALL_RUNS)


def test_markdown_has_the_answer_and_its_numbers(content: Content, demo: RunInputs) -> None:
    text = exported(content, "md")
    assert content.answer is not None
    assert [line for line in text.splitlines() if line.startswith("## ")][: len(content.answer.answers)] == [
        f"## {answer.word}: {answer.older} → {answer.newer}" for answer in content.answer.answers
    ]
    for answer in content.answer.answers:
        assert in_markdown(answer.sentence) in text
        assert all(figure.value in text for figure in answer.figures)
    assert f"**{content.answer.letter}**" in text
    assert demo.layout.in_words.read_text() == text  # `render` has left it beside the report


def test_plain_text_has_no_marks(content: Content) -> None:
    text = without_marks(exported(content, "md"))
    assert not re.search(r"^#|\*\*|`|^\|", text, re.MULTILINE)
    assert content.heading in text


@pytest.mark.parametrize("text", ["a | b", "**bold** `code`", "# heading", "[link](x)", "a_b", "back\\slash", "<b>"])
def test_no_text_is_taken_for_markdown(text: str) -> None:
    assert without_marks(in_markdown(text)) == text


def test_junit_counts_what_its_tests_say(content: Content) -> None:
    root = ElementTree.fromstring(exported(content, "junit"))
    suites = root.findall("testsuite")
    assert [suite.get("name") for suite in suites] == [f"{q.newer} against {q.older}" for q in content.questions]
    for suite, question in zip(suites, content.questions, strict=True):
        verdicts = question.rows["verdict"].value_counts()
        assert int(suite.get("tests", "")) == len(suite.findall("testcase")) == len(question.rows)
        assert int(suite.get("failures", "")) == len(suite.findall(".//failure")) == verdicts.get("slower", 0)
        assert int(suite.get("skipped", "")) == len(suite.findall(".//skipped")) > 0 or "inconclusive" not in verdicts
    names = [test.get("name") for test in suites[0].findall("testcase")]
    assert len(set(names)) == len(names)


@pytest.fixture(scope="module")
def slower(tmp_path_factory: pytest.TempPathFactory) -> RunInputs:
    """MPICH's newer version takes about 1.45 times as long in bcast, and 2.7 times in allreduce."""
    planted = {("mpich-5.0", "bcast", 512): 1.6, ("mpich-5.0", "allreduce", 512): 3.0}
    spec = Spec(
        stacks=["mpich-4.3", "mpich-5.0"], operations=["bcast", "allreduce"], sizes=[512], processes=[4],
        launches=12, runs=6, planted=planted, launch_spread=0.01,
    )  # fmt: skip
    run = write_run(tmp_path_factory.mktemp("slower") / "run", spec)
    assert [postprocess([step, str(run)]) for step in ("ingest", "analyse")] == [0, 0]
    return load_inputs(run)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ({}, {"bcast": "failure", "allreduce": "failure"}),
        ({"max_loss": 0.9}, {"bcast": "system-out", "allreduce": "failure"}),
        ({"max_loss_by_case": {"bcast": 0.9}}, {"bcast": "system-out", "allreduce": "failure"}),
        ({"max_loss_by_case": {"bcast": 0.44}}, {"bcast": "skipped", "allreduce": "failure"}),
        ({"weights": {"bcast": 1}}, {"bcast": "failure", "allreduce": "skipped"}),
    ],
)
def test_junit_fails_what_loses_more_than_is_accepted(
    slower: RunInputs, question: dict[str, object], expected: dict[str, str]
) -> None:
    campaign = slower.campaign.model_copy(update={"question": Question.model_validate(question)})
    content = Content(replace(slower, campaign=campaign))
    (suite,) = ElementTree.fromstring(junit(content)).findall("testsuite")
    outcomes = {str(test.get("name")).split()[0]: test[0].tag for test in suite.findall("testcase")}
    assert outcomes == expected
    assert content.questions[0].decision.word == "keep-baseline"  # as the answer says where a test fails


def test_json_has_the_tables(content: Content, demo: RunInputs) -> None:
    document = json.loads(exported(content, "json"))
    summary = pd.read_csv(demo.layout.summary)
    assert len(document["summary"]) == len(summary)
    assert document["summary"][0]["median_us"] == pytest.approx(summary["median_us"].iloc[0])
    assert "NaN" not in exported(content, "json")
    assert document["run_id"] == demo.layout.run_id


def test_the_workbook_has_every_table(content: Content, demo: RunInputs) -> None:
    book = load_workbook(BytesIO(workbook(content)), read_only=True)
    assert book.sheetnames == ["answer", *_names(content.tables).values()]
    rows = list(book["summary"].iter_rows(values_only=True))
    summary = pd.read_csv(demo.layout.summary)
    assert list(rows[0]) == list(summary.columns)
    assert len(rows) == len(summary) + 1
    column = list(summary.columns).index("median_us")
    assert [row[column] for row in rows[1:]] == pytest.approx(summary["median_us"].tolist())


def test_columns_of_the_workbook_show_their_names_and_can_be_filtered(content: Content) -> None:
    book = load_workbook(BytesIO(workbook(content)))
    sheet = book["summary"]
    assert sheet.auto_filter.ref == sheet.dimensions and sheet.auto_filter.ref.startswith("A1:")
    for column in sheet.iter_cols(max_row=2):
        shown = max(len(cell.value) for cell in column if isinstance(cell.value, str))
        assert min(shown, WIDEST) <= sheet.column_dimensions[column[0].column_letter].width <= WIDEST


def test_no_text_of_the_workbook_is_a_formula(small: RunInputs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isochron.postprocess.export.data.markdown", lambda _: "=1+1\n")
    content = Content(small)
    content.__dict__["tables"] = {"a": pd.DataFrame({"=x": ["=cmd()"]})}
    book = load_workbook(BytesIO(workbook(content)))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert {cell.value for cell in cells} == {"=1+1", "=x", "=cmd()"}
    assert {cell.data_type for cell in cells} == {"s"}


def test_names_of_sheets_are_short_and_distinct() -> None:
    long = "scalability-a-very-long-operation-"
    names = _names(["answer", f"{long}1", f"{long}2", "A"])
    assert len({name.lower() for name in names.values()} | {"answer"}) == 5
    assert all(len(name) <= 31 for name in names.values())


def test_latex_has_a_line_for_each_case_and_no_command_of_others(content: Content) -> None:
    text = exported(content, "latex")
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == len(content.questions)
    cases = sum(len(question.rows) for question in content.questions)
    assert len(re.findall(r"^.*(?:slower|faster|equivalent|inconclusive) \\\\$", text, re.MULTILINE)) == cases
    assert escaped("50 % of a_b & $x$ \\input{y}") == r"50 \% of a\_b \& \$x\$ \textbackslash{}input\{y\}"
    assert text.isascii() or not re.search(r"[µ×→∞\u202f]", text)


def test_the_command_writes_a_file_and_names_it(
    small_report: RunInputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", str(small_report.layout.root), "--md"]) == 0
    name = capfd.readouterr().out.strip()
    assert (tmp_path / name).read_text() == small_report.layout.in_words.read_text()
    assert main(["export", str(small_report.layout.root), "--md", "--output", "-"]) == 0
    assert capfd.readouterr().out == small_report.layout.in_words.read_text()


def test_without_a_report_there_is_nothing_to_export(small: RunInputs, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(small.layout.root), "--json"]) == 2
    assert "has no report (index.html); call `isochron report" in capsys.readouterr().err


def test_nothing_that_prints_is_one_line(small_report: RunInputs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "BROWSERS", ())
    monkeypatch.setitem(__import__("sys").modules, "weasyprint", None)
    with pytest.raises(FileError, match="no Chromium here, and no WeasyPrint; install one of them"):
        pdf.pdf(Content(small_report))
    monkeypatch.setenv("ISOCHRON_BROWSER", "no-such-browser")
    with pytest.raises(FileError, match="ISOCHRON_BROWSER: no-such-browser is no program"):
        pdf.pdf(Content(small_report))


@pytest.mark.process
@pytest.mark.skipif(pdf.find_browser() is None, reason="no Chromium is here")
def test_on_paper_nothing_is_folded() -> None:
    page = '<details id="a" class="b"><summary>x</summary></details><details open id="c"></details><details>'
    opened = (
        '<details open id="a" class="b"><summary>x</summary></details><details open id="c"></details><details open>'
    )
    assert pdf.unfold(page) == opened and pdf.unfold("<detailsx>") == "<detailsx>"
    assert pdf.unfold('<div id="chosen"></div>') == '<div id="chosen" hidden></div>'


@pytest.mark.parametrize("run", ["small_report", pytest.param("demo", marks=pytest.mark.slow)])
def test_the_pdf_is_the_report(run: str, request: pytest.FixtureRequest) -> None:
    printed = pdf.pdf(Content(request.getfixturevalue(run)))
    assert printed.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", printed)) > 3
