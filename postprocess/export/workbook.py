# SPDX-License-Identifier: BSD-3-Clause
"""All tables as one workbook (Office Open XML), a sheet each, after one with the answer."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from math import isfinite
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font

from isochron.common.text import without_marks
from isochron.postprocess.export.content import Content
from isochron.postprocess.export.markdown import markdown

#: Rows of a sheet, its head included, and characters of its name and of a cell, by the format.
MAX_ROWS, LONGEST_NAME, LONGEST_CELL = 1_048_576, 31, 32_767


def workbook(content: Content) -> bytes:
    """Texts are texts, whatever they begin with: nothing is taken for a formula."""
    book = Workbook(write_only=True)
    first = book.create_sheet("answer")
    first.column_dimensions["A"].width = 120
    for line in without_marks(markdown(content)).splitlines():
        first.append([_cell(first, line)])
    names = _names(content.tables)
    for name, table in content.tables.items():
        sheet = book.create_sheet(names[name])
        sheet.freeze_panes = "A2"
        sheet.append([_cell(sheet, str(column), bold=True) for column in table.columns])
        for row in table.head(MAX_ROWS - 1).itertuples(index=False):
            sheet.append([_cell(sheet, value) for value in row])
    stream = BytesIO()
    book.save(stream)
    return stream.getvalue()


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
