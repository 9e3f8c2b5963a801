# SPDX-License-Identifier: BSD-3-Clause
"""What all imitations of launchers share: options as the real one has them, and ranks as processes of this machine."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from typing import NoReturn


class Options(argparse.ArgumentParser):
    """Options of a launcher up to the program, none abbreviated; an unknown one ends it in the launcher's words."""

    def __init__(self, refusal: str, status: int) -> None:
        super().__init__(add_help=False, allow_abbrev=False)
        self.refusal, self.status = refusal, status

    def error(self, message: str) -> NoReturn:
        """Print the refusal with the first option that is not known."""
        unknown = next((word for word in sys.argv[1:] if word.startswith("-") and not self.knows(word)), message)
        print(self.refusal.format(option=unknown), file=sys.stderr)
        raise SystemExit(self.status)

    def knows(self, word: str) -> bool:
        """Return True for an option of the launcher."""
        return word.partition("=")[0] in self._option_string_actions

    def read(self) -> argparse.Namespace:
        """Read the command line; `program` is what follows the options."""
        self.add_argument("program", nargs=argparse.REMAINDER)
        return self.parse_args()


def start(program: list[str], ranks: int, per_node: int, variables: Callable[[int, int, int], dict[str, str]]) -> int:
    """Start the ranks, node after node, and return the highest status; 128 + number after a signal.

    `variables`: of a rank, with its number on its node and that of its node.
    """
    running = []
    for rank in range(ranks):
        env = os.environ | {"NODE": f"n{rank // per_node}"} | variables(rank, rank % per_node, rank // per_node)
        running.append(subprocess.Popen(program, env=env))
    statuses = [process.wait() for process in running]
    return max(128 - status if status < 0 else status for status in statuses)
