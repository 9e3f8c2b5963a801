# SPDX-License-Identifier: BSD-3-Clause
"""How many of the processes act: of messages a group, or all groups; of everything else all."""

from __future__ import annotations

import pandas as pd

PAIRS = ("ping-pong", "ping-ping")
MESSAGES = (*PAIRS, "sendrecv", "exchange")


def of_a_group(rows: pd.DataFrame, group: int) -> pd.Series[int]:
    """Processes of the group that acts, or of each. `group`: as asked for; 0: as the operation has it."""
    plain = rows["operation"].str.removeprefix("multi-")
    return rows["processes"].where(~plain.isin(MESSAGES), group or rows["processes"].where(~plain.isin(PAIRS), 2))


def active(rows: pd.DataFrame, group: int) -> pd.Series[int]:
    """Processes that act: of `multi-…` those of all whole groups. `rows`: operation and processes."""
    own = of_a_group(rows, group)
    return own.where(~rows["operation"].str.startswith("multi-"), rows["processes"] // own * own)
