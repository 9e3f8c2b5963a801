# SPDX-License-Identifier: BSD-3-Clause
"""What became of the blocks of a ReFrame call: a line of JSON in `log/reframe/<call>/ended` when each ends."""

from pathlib import Path

from isochron.common.files import read_lines
from isochron.schemas.base import Record


class Ended(Record):
    """A block that ended: the exit code of its call, and one line for each launch that was not measured."""

    block: str
    exit: int
    lines: list[str]


def append_ended(call: Path, ended: Ended) -> None:
    """Add a block to those that ended."""
    with (call / "ended").open("a", encoding="utf-8") as stream:
        stream.write(ended.model_dump_json() + "\n")


def read_ended(call: Path) -> list[Ended]:
    """Return the blocks that have ended so far, in this order."""
    path = call / "ended"
    lines = list(read_lines(path)) if path.exists() else []
    return [Ended.model_validate_json(line) for line in lines if line.strip().endswith("}")]
