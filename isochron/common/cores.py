# SPDX-License-Identifier: BSD-3-Clause
"""One function applied to many items, in one process per core that this process may use."""

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, TypeVar

from isochron.common.files import FileError

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Work:
    """The function of a worker process, inherited by fork, so that it need not be pickled."""

    function: Callable[[Any], Any]

    @staticmethod
    def begin(function: Callable[[Any], Any]) -> None:
        gc.freeze()  # inherited objects are never collected, so their pages are not copied
        _Work.function = function

    @staticmethod
    def call(item: Any) -> Any:
        return _Work.function(item)


def on_all_cores(function: Callable[[Item], Result], items: Sequence[Item], together: int = 1) -> Iterator[Result]:
    """Yield `function(item)` for all items, in their order. Items and results are pickled, `function` is not.

    `together`: number of items passed to a process at once. Raises what `function` raises, and FileError if a process
    was killed.
    """
    cores = min(len(os.sched_getaffinity(0)), len(items))
    if cores < 2:
        yield from map(function, items)
        return
    try:
        with ProcessPoolExecutor(cores, get_context("fork"), _Work.begin, (function,)) as pool:
            yield from pool.map(_Work.call, items, chunksize=together)
    except BrokenProcessPool:
        raise FileError(
            "a worker process was killed, perhaps because memory ran out; run the same command again"
        ) from None
