# SPDX-License-Identifier: BSD-3-Clause
"""What a check says, and how it reads a file of the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Level = Literal["good", "unknown", "warning", "bad"]


@dataclass(frozen=True)
class Finding:
    """One fact. `bad` means that no campaign can run; `warning` that its numbers may suffer."""

    check: str
    level: Level
    words: str


@dataclass(frozen=True)
class Machine:
    """Where the checks read: the real machine, or a folder that stands in for it in a test."""

    root: Path = Path("/")

    def read(self, path: str) -> str | None:
        """Text of a file without surrounding space; None where there is none."""
        try:
            return (self.root / path.lstrip("/")).read_text(errors="replace", encoding="utf-8").strip()
        except OSError:
            return None

    def read_all(self, pattern: str) -> set[str]:
        """Distinct texts of all files that match."""
        texts = (self.read(str(path.relative_to(self.root))) for path in self.root.glob(pattern.lstrip("/")))
        return {text for text in texts if text is not None}
