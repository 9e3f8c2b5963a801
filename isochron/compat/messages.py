# SPDX-License-Identifier: BSD-3-Clause
"""Messages and files of ReFrame and Snakemake from which errors are read."""

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


def snakemake_error(text: str) -> str:
    """Return Snakemake's own error in one line; empty if a job failed or nothing did.

    Snakemake has no report of a call that came to no job. Verified with Snakemake 9.17.0 and 9.27.1
    (`snakemake/cli.py`, `snakemake/exceptions.py`).
    """
    if "\nError in rule " in text:
        return ""
    usage = re.search(r"^\S+: error: (.+)$", text, re.MULTILINE)
    if usage:
        return usage[1]
    error = re.search(r"^([\w.]+(?:Error|Exception)\b.*)\n?((?:.*\S.*\n?)*)", text, re.MULTILINE)
    return " ".join(f"{error[1]} {error[2]}".split()) if error else ""
