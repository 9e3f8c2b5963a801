# SPDX-License-Identifier: BSD-3-Clause
"""The result of a check, and access to files of the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Level = Literal["ok", "unknown", "warning", "error"]


@dataclass(frozen=True)
class Finding:
    """The result of one check. `bad`: no campaign can run; `warning`: times may be distorted."""

    check: str
    level: Level
    words: str


@dataclass(frozen=True)
class Machine:
    """The root of the files that checks read: the real machine, or a folder in a test."""

    root: Path = Path("/")

    def read(self, path: str) -> str | None:
        """Read the text of a file without surrounding space; None if there is none."""
        try:
            return (self.root / path.lstrip("/")).read_text(errors="replace", encoding="utf-8").strip()
        except OSError:
            return None

    def read_all(self, pattern: str) -> set[str]:
        """Read the distinct texts of all files that match."""
        texts = (self.read(str(path.relative_to(self.root))) for path in self.root.glob(pattern.lstrip("/")))
        return {text for text in texts if text is not None}
