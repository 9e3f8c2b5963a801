# SPDX-License-Identifier: BSD-3-Clause
"""Changes of file modes on file systems that refuse them (many mounts of FUSE, SMB and object stores)."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any


def chmod_if_permitted(*args: Any, **options: Any) -> None:
    """Change the mode of a file like `os.chmod`, but ignore a refusal."""
    with suppress(PermissionError):
        os.chmod(*args, **options)  # noqa: PTH101
