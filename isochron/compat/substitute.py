# SPDX-License-Identifier: BSD-3-Clause
"""The one way in which a module of another project is changed: it gets its own copy of a standard module."""

from __future__ import annotations

import importlib
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
