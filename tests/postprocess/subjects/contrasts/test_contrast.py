# SPDX-License-Identifier: BSD-3-Clause
"""Least times by ping-pong, and what a further scheme reads."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest

from isochron.postprocess.estimate.compare.contrasts import _bound

HOSTS = ["a0", "a1", "b0", "b1"]
LEAST = {("a0", "a1"): 50.0, ("a0", "b0"): 2600.0, ("c0", "d0"): 9000.0}


def row(operation: str, scheme: str = "window") -> dict[Any, Any]:
    return {"operation": operation, "scheme": scheme}


@pytest.mark.parametrize(
    ("operation", "scheme", "root", "expected"),
    [
        ("bcast", "window", 0, 2600.0),  # the root is on one of the two hosts
        ("bcast", "window", 3, 1300.0),  # one of the two is at least half of the way from any other
        ("bcast", "rotating-root", 0, 1300.0),
        ("allreduce", "window", 3, 2600.0),
        ("barrier", "window", 3, 2600.0),
    ],
)
def test_the_longest_message_between_hosts_of_the_row_counts(
    operation: str, scheme: str, root: int, expected: float
) -> None:
    assert _bound(row(operation, scheme), HOSTS, LEAST, root) == (expected, "a0–b0")


def test_without_messages_between_its_hosts_a_row_has_no_bound() -> None:
    for operation, hosts in (("bcast", ["a0", "b1"]), ("bcast", []), ("scan", HOSTS), ("ping-pong", HOSTS)):
        bound, between = _bound(row(operation), hosts, LEAST, 0)
        assert isnan(bound) and between == ""
