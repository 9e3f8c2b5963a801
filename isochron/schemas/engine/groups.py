# SPDX-License-Identifier: BSD-3-Clause
"""Groups of processes that execute an operation at the same time: the values of the engine's `--groups`."""

from isochron.schemas.engine.contract import contract
from isochron.schemas.engine.option_values import TextValue, parse_text_value

#: One group of all processes: what results are measured with.
ALL = "all"
#: The processes of a node are a group: only a launch knows how many these are.
NODE = "node"


def smallest_group(groups: str, processes: int) -> int | None:
    """Return the processes of the smallest group, 0 if there are too few for such groups; None if it is not known."""
    parsed = parse_text_value(contract().option("groups"), groups)
    if not isinstance(parsed, TextValue) or parsed.word == NODE:
        return None
    number = round(parsed.numbers.get("N", 1))
    if parsed.word == "halves":
        return processes // 2
    if parsed.word == "strided":
        return processes // number
    if parsed.word in ("size", "active"):
        return number if number <= processes else 0
    return processes
