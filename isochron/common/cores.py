# SPDX-License-Identifier: BSD-3-Clause
"""The same work on many things, in a process for each core that this process may use."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, TypeVar

from isochron.common.files import FileError

Thing = TypeVar("Thing")
Made = TypeVar("Made")


class _Work:
    """What a process does; it is a copy of the one that started it, so that nothing has to be sent to it."""

    function: Callable[[Any], Any]

    @staticmethod
    def begin(function: Callable[[Any], Any]) -> None:
        gc.freeze()  # what is inherited is never collected, nor copied because it was looked at
        _Work.function = function

    @staticmethod
    def one(thing: Any) -> Any:
        return _Work.function(thing)


def on_all_cores(function: Callable[[Thing], Made], things: Sequence[Thing], together: int = 1) -> Iterator[Made]:
    """`function` of each thing, in their order. Things and what is made of them are pickled, `function` is not.

    `together`: how many things are handed over at once. Raises what `function` raises, and FileError where a process
    was ended from outside.
    """
    cores = min(len(os.sched_getaffinity(0)), len(things))
    if cores < 2:
        yield from map(function, things)
        return
    try:
        with ProcessPoolExecutor(cores, get_context("fork"), _Work.begin, (function,)) as pool:
            yield from pool.map(_Work.one, things, chunksize=together)
    except BrokenProcessPool:
        raise FileError("a process that worked on a part was ended, perhaps for want of memory; try again") from None
