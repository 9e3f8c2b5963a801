# SPDX-License-Identifier: BSD-3-Clause
"""How the provision of a stack says what it does, for the progress of a run."""

from collections.abc import Callable

#: Called with what is done, to which the stack's name is added, and with details: `downloading`, `wheel 1 of 2`.
Tell = Callable[[str, str], None]


def silent(_step: str, _details: str) -> None:
    """Say nothing."""
