# SPDX-License-Identifier: BSD-3-Clause
"""What a program of an operation consists of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parts:
    """The lines of a program that differ by operation, each without its indentation.

    `sends`, `receives`: blocks in the buffers, as an expression in C. `prepare`: what is made once; `ready`: what
    precedes each call and is not timed; `call`: what is timed; `release`: what is freed. `function`: the call's name.
    """

    function: str
    sends: str
    receives: str
    prepare: list[str]
    call: list[str]
    ready: list[str]
    release: list[str]
