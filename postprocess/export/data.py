# SPDX-License-Identifier: BSD-3-Clause
"""Exports for programs: JSON record, JUnit tests, workbook."""

import json
from collections.abc import Iterable
from io import BytesIO
from math import isfinite
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter

from isochron.common.text import without_marks
from isochron.postprocess.estimate.compare.interference import both_ratios
from isochron.postprocess.export.content import Content, Question
from isochron.postprocess.export.documents import markdown
from isochron.postprocess.formatting import labels, numbers

#: The tables that the document has, if the run has them.
TABLES = ("answers", "grades", "comparison", "summary", "verdicts")


def record(content: Content) -> str:
    """A number that is not known is null; columns are those of docs/reference/tables.md."""
    tables = content.tables
    inputs = content.inputs
    document = {
        "schema": 1,
        "campaign": inputs.campaign.name,
        "title": inputs.campaign.heading,
        "run_id": inputs.layout.run_id,
        "findings": [finding.model_dump(mode="json") for finding in content.findings],
        **{name: [plain(row) for row in tables[name].to_dict("records")] for name in TABLES if name in tables},
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def plain(row: dict[Any, Any]) -> dict[str, object]:
    """Return a line of a table as JSON has it: a number that is not known is null."""

    def known(value: object) -> object:
        return None if isinstance(value, float) and not isfinite(value) else value

    return {str(name): known(value) for name, value in row.items()}


def junit(content: Content) -> str:
    """JUnit's XML: a suite for each question, a test for each case."""
    root = ElementTree.Element("testsuites", name=content.heading)
    for question in content.questions:
        _suite(root, content, question)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: ElementTree.Element, content: Content, question: Question) -> None:
    rows = question.rows
    outcomes = _outcomes(question)
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=f"{question.newer} against {question.older}",
        tests=str(len(outcomes)),
        failures=str(outcomes.count("failure")),
        errors="0",
        skipped=str(outcomes.count("skipped")),
    )
    for row, ratios, outcome in zip(rows.to_dict("records"), both_ratios(rows), outcomes, strict=True):
        name = f"{labels.case(row, content.inputs)}, {labels.point(row)}"
        test = ElementTree.SubElement(suite, "testcase", name=name, classname=f"isochron.{question.newer}")
        message = numbers.ratio_with_interval(row)
        if row["verdict"] == "depends":
            message = ratios
        if outcome == "failure":
            ElementTree.SubElement(test, "failure", message=f"slower: {message}", type="slower")
        elif outcome == "skipped":
            ElementTree.SubElement(test, "skipped", message=f"{row['verdict']}: {message}")
        else:
            ElementTree.SubElement(test, "system-out").text = f"{row['verdict']}: {message}"


def _outcomes(question: Question) -> list[str]:
    """Return the outcome of each row as the answer has it: `failure`, `skipped` or `passed`.

    A test fails if a loss beyond the accepted one is shown, and is skipped if such a loss is neither shown nor
    excluded, if one stack has no time, or if the case has no weight in the question.
    """
    rows, decision = question.rows, question.decision
    nothing_shown = rows["verdict"].isin(["missing", "new"]) | ~rows.index.isin(decision.counted)
    skipped = rows.index.isin(decision.at_risk.index) | nothing_shown
    choices = [rows.index.isin(decision.regressed.index), skipped]
    return [str(outcome) for outcome in np.select(choices, ["failure", "skipped"], "passed")]


#: Rows of a sheet, its head included, and characters of its name and of a cell, by the format.
MAX_ROWS, LONGEST_NAME, LONGEST_CELL = 1_048_576, 31, 32_767
#: Characters of a number as a spreadsheet shows it, of the button of a filter, and of the widest column; rows by whose
#: texts the width of a column is chosen.
NUMBER, BUTTON, WIDEST, SEEN_ROWS = 9, 3, 60, 1000


def workbook(content: Content) -> bytes:
    """Texts are texts, whatever they begin with: nothing is taken for a formula."""
    book = Workbook(write_only=True)
    first = book.create_sheet("answer")
    first.column_dimensions["A"].width = 120
    for line in without_marks(markdown(content)).splitlines():
        first.append([_cell(first, line)])
    tables = content.tables_with_forecasts
    names = _names(tables)
    for name, table in tables.items():
        sheet = book.create_sheet(names[name])
        sheet.freeze_panes = "A2"
        for letter, width in _widths(table).items():
            sheet.column_dimensions[letter].width = width
        if len(table.columns):
            sheet.auto_filter.ref = f"A1:{get_column_letter(len(table.columns))}{min(len(table) + 1, MAX_ROWS)}"
        sheet.append([_cell(sheet, str(column), bold=True) for column in table.columns])
        for row in table.head(MAX_ROWS - 1).itertuples(index=False):
            sheet.append([_cell(sheet, value) for value in row])
    stream = BytesIO()
    book.save(stream)
    return stream.getvalue()


def _widths(table: pd.DataFrame) -> dict[str, float]:
    """Return the width of each column, by its letter, in characters: of its head with a filter's button, and its cells.

    A number is shown in as many digits as fit; of a text, WIDEST characters.
    """
    widths: dict[str, float] = {}
    for index, column in enumerate(table.columns):
        cells = [len(cell) for cell in table.iloc[:SEEN_ROWS, index] if isinstance(cell, str)]
        widths[get_column_letter(index + 1)] = min(max(len(str(column)) + BUTTON, *cells, NUMBER) + 1, WIDEST)
    return widths


def _names(tables: Iterable[str]) -> dict[str, str]:
    """Names of sheets: short, and none twice, whatever their letters' case."""
    names: dict[str, str] = {}
    for table in tables:
        name, number = table[:LONGEST_NAME], 2
        while name.lower() in {other.lower() for other in names.values()} | {"answer"}:
            name, number = f"{table[: LONGEST_NAME - 3]}~{number}", number + 1
        names[table] = name
    return names


def _cell(sheet: Any, value: object, bold: bool = False) -> Any:
    if isinstance(value, float) and not isfinite(value):
        value = None
    if isinstance(value, str):
        value = value[:LONGEST_CELL]
    elif hasattr(value, "item"):
        value = value.item()
    cell = WriteOnlyCell(sheet, value=value)
    if isinstance(value, str):
        cell.data_type = "s"
    if bold:
        cell.font = Font(bold=True)
    return cell
