# SPDX-License-Identifier: BSD-3-Clause
"""What others have published, as rows like those of a run."""

from pathlib import Path

import pandas as pd

from isochron.common.files import FileError
from isochron.schemas.input.reference import Reference, load_reference

#: Columns of the times of any machine; `system` is a stack of a run, or a system of a reference. Times in µs.
TIMES = [
    "system", "operation", "bytes", "processes", "active", "processes_per_node", "placement", "time_us", "low_us",
    "high_us", "reliable",
]  # fmt: skip


def reference_times(path: Path) -> pd.DataFrame:
    """`TIMES` of a reference file; what was not printed has no row. Raises FileError."""
    reference, lines = load_reference(path)
    data = path.parent / reference.data
    cases = []
    for number, line in enumerate(lines, start=1):
        where = f"{data}: row {number}"
        case = _case(reference, line, where)
        for name, system in reference.systems.items():
            time = _time(line, system.time_us, where)
            if case is None or time is None:
                continue
            ends = (_time(line, column, where) if column else None for column in (system.low_us, system.high_us))
            low, high = (time if end is None else end for end in ends)
            cases.append({"system": name, **case, "time_us": time, "low_us": low, "high_us": high})
    return pd.DataFrame(cases).assign(placement="", reliable=True)[TIMES] if cases else pd.DataFrame(columns=TIMES)


def _case(reference: Reference, line: dict[str, str], where: str) -> dict[str, object] | None:
    """What a line is of; None for an operation that the file does not map."""
    columns = reference.columns
    if columns.operation is None:
        operation: str | None = next(iter(reference.operations.values()))
    else:
        operation = reference.operations.get(line[columns.operation])
    if operation is None:
        return None
    processes = _whole(reference, line, columns.processes, where)
    return {
        "operation": operation,
        "bytes": _whole(reference, line, columns.bytes, where) if columns.bytes else 0,
        "processes": processes,
        "active": _whole(reference, line, columns.active, where) if columns.active else processes,
        "processes_per_node": _whole(reference, line, columns.processes_per_node, where),
    }


def _whole(reference: Reference, line: dict[str, str], column: str, where: str) -> int:
    text = (line[column] or "").strip()
    if text in reference.words:
        return reference.words[text]
    if not (text.isascii() and text.isdigit()):
        raise FileError(f"{where}: {column}: {text!r} is no whole number; write one, or list the word under `words`")
    return int(text)


def _time(line: dict[str, str], column: str, where: str) -> float | None:
    text = (line[column] or "").strip()
    if not text:
        return None
    try:
        time = float(text)
    except ValueError:
        time = -1.0
    if not 0 < time < float("inf"):
        raise FileError(
            f"{where}: {column}: {text!r} is no time in µs; write a number above 0, or leave the cell empty"
        )
    return time
