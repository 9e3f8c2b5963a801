# SPDX-License-Identifier: BSD-3-Clause
"""What ReFrame prints and leaves, where its report does not contain it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from isochron.common.files import read_lines


def first_complaint(lines: Iterable[str]) -> str:
    """Return the first error in ReFrame's output, else its first line, without ReFrame's own words around it.

    ReFrame writes no report if it cannot load a check, a configuration or an option; the reason is then in its output
    alone (`reframe/frontend/loader.py`, `reframe/frontend/cli.py`). Verified with ReFrame 4.8.0, 4.8.4, 4.9.3 and
    4.10.4.
    """
    printed = [line.strip() for line in lines if line.strip()]
    errors = [line for line in printed if "error:" in line.lower()]
    complaint = (errors or printed or ["it printed nothing"])[0]
    return re.sub(r"^.*skipping test \S+ \w+ syntax error: | \(rerun with '-v'.*\)$", "", complaint)


def printed_by_job(case: Mapping[str, Any], stream: str) -> list[str]:
    """Return the lines that a job of a test case printed; none if the job did not start.

    `case` is that of ReFrame's report; `stream` is one of build_stdout, build_stderr, job_stdout and job_stderr.
    """
    path = Path(case.get("stagedir") or "", case.get(stream) or "")
    return list(read_lines(path)) if case.get("stagedir") and path.is_file() else []
