# SPDX-License-Identifier: BSD-3-Clause
"""The callers of a function, without their sources."""

import sys
from dataclasses import dataclass
from traceback import walk_stack
from types import FrameType, ModuleType


@dataclass(frozen=True)
class Caller:
    """What is used of an `inspect.FrameInfo`."""

    frame: FrameType


def frames_of_callers() -> list[Caller]:
    """Return the caller and its callers, like `inspect.stack`, but no source file is read."""
    return [Caller(frame) for frame, _ in walk_stack(sys._getframe(1))]


def module_of_frame(frame: FrameType) -> ModuleType | None:
    """Return the module of the code of a frame, like `inspect.getmodule`."""
    return sys.modules.get(frame.f_globals.get("__name__", ""))
