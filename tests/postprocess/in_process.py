# SPDX-License-Identifier: BSD-3-Clause
"""Commands whose post-processing is done by the process of the test: another one takes a second to load its libraries.

That the driver starts it, and what it does with its errors: tests/workflows/driving, tests/cli/test_compare.py.
"""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pytest

from isochron.common.files import FileError
from isochron.postprocess.__main__ import main
from isochron.workflows.driving import postprocess


@pytest.fixture
def postprocess_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `isochron history`, `compare`, `publish` … call post-processing as a function."""
    monkeypatch.setattr(postprocess, "_output", _output)


def _output(args: list[str]) -> str:
    """What a verb of post-processing prints. Raises FileError with its message."""
    with redirect_stdout(StringIO()) as output, redirect_stderr(StringIO()) as errors:
        code = main(args)
    if code:
        raise FileError(errors.getvalue().strip().removeprefix(f"postprocess {args[0]}: "))
    return output.getvalue()
