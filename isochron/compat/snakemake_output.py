# SPDX-License-Identifier: BSD-3-Clause
"""What Snakemake prints about an error of its own."""

from __future__ import annotations

import re


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
