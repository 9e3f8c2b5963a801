# SPDX-License-Identifier: BSD-3-Clause
"""What ends a soak: something that must not happen, whatever the fault."""


class SoakFailure(Exception):
    """The message says what was found, and the life's diary what had been done."""


def expect(condition: object, message: str) -> None:
    """Raise SoakFailure unless the condition holds."""
    if not condition:
        raise SoakFailure(message)
