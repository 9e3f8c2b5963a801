# SPDX-License-Identifier: BSD-3-Clause
"""How a module of another project is changed: it gets a changed copy of a standard module."""

import importlib
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any


def substitute(user: str, standard: str, **functions: Callable[..., Any]) -> None:
    """Let the module `user` see other functions where it refers to the standard module `standard`.

    Only the name in `user` is rebound; every other module keeps the standard functions. Nothing happens if this
    version of the project has no such module, or the module does not import `standard`: tests/compat then fails.
    """
    with suppress(ModuleNotFoundError):
        module = importlib.import_module(user)
        if hasattr(module, standard):
            setattr(module, standard, SimpleNamespace(**{**vars(getattr(module, standard)), **functions}))


def leave_out(module: str) -> None:
    """Let `import module` raise ImportError in this process, unless it is imported already."""
    sys.modules.setdefault(module, None)  # type: ignore[arg-type]  # as `import` itself documents it


def chmod_if_permitted(*args: Any, **options: Any) -> None:
    """Change the mode of a file like `os.chmod`, but ignore a refusal."""
    with suppress(PermissionError):
        os.chmod(*args, **options)  # noqa: PTH101


def steady_clock() -> Callable[[], float]:
    """Return a function like `time.time` that does not follow later changes of the machine's clock.

    It starts at the present time of day and advances with the monotonic clock, in s.
    """
    start = time.time() - time.monotonic()

    def time_of_day() -> float:
        return start + time.monotonic()

    return time_of_day
