# SPDX-License-Identifier: BSD-3-Clause
"""Lists of names as text."""

from __future__ import annotations

from collections.abc import Iterable


def distinct(values: Iterable[object]) -> str:
    """The distinct values, separated by commas."""
    return ", ".join(sorted({str(value) for value in values if value}))


def short_list(names: list[str]) -> str:
    """The first eight of them, and how many there are."""
    shown = ", ".join(names[:8])
    return shown if len(names) <= 8 else f"{shown} … ({len(names)} in all)"
