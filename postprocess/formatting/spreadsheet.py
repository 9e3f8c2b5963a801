# SPDX-License-Identifier: BSD-3-Clause
"""Tables as CSV files of which a spreadsheet executes nothing; and such files read again."""

from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path

import pandas as pd

from isochron.common.files import read_bytes
from isochron.common.text import in_a_cell, of_a_cell


def as_csv(table: pd.DataFrame, float_format: str | None = None) -> str:
    """Lines that end with a line feed; empty cells for what is not known."""
    made = _with_texts(table, in_a_cell)
    if float_format is not None:  # as texts: pandas asks of each number whether it is one
        for name in made.select_dtypes("float"):
            cells = map(float_format.__mod__, made[name].tolist())
            made[name] = pd.Series(list(cells), made.index, dtype=object).where(made[name].notna(), "")
    return str(made.to_csv(index=False, lineterminator="\n"))


def read_csv(path: Path) -> pd.DataFrame:
    """The table of a file that `as_csv` has made. Raises OSError."""
    return _with_texts(pd.read_csv(BytesIO(read_bytes(path))), of_a_cell)


def _with_texts(table: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    """The table with its texts changed: names of columns, and cells in columns of no numbers."""
    change_once = cache(change)  # many cells have the same text

    def changed(cell: object) -> object:
        return change_once(cell) if isinstance(cell, str) else cell

    texts = table.select_dtypes(exclude=["number", "bool"])
    cells = {str(name): list(map(changed, texts[name].to_numpy(dtype=object))) for name in texts}
    made = {name: pd.Series(column, table.index, dtype=object) for name, column in cells.items()}
    return table.assign(**made).rename(columns=changed)
