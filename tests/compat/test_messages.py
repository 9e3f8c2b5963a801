# SPDX-License-Identifier: BSD-3-Clause
"""Errors are read from messages and files of ReFrame and Snakemake.

Each test first asserts that the words around the error are still there: if a release leaves them out, the expression
that removes them is to be deleted.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from isochron.common.resources import shipped
from isochron.compat.messages import first_complaint, printed_by_job, snakemake_error

pytestmark = pytest.mark.process

CHECKS = shipped("reframe_checks") / "checks"
SETTINGS = shipped("reframe_checks") / "settings" / "local.py"


def printed(folder: Path, project: str, *options: str, **variables: str) -> str:
    """What a call of a project prints."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RFM_")} | variables
    done = subprocess.run(
        [sys.executable, "-m", f"isochron.compat.patched_{project}", *options],
        cwd=folder,
        env=environment | {"RFM_COLORIZE": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize("warn_as_error", ["0", "1"])
def test_a_check_that_reframe_cannot_load(tmp_path: Path, warn_as_error: str) -> None:
    (tmp_path / "check.py").write_text(
        "import reframe as rfm\n"
        "from reframe.core.exceptions import ReframeSyntaxError\n"
        "@rfm.simple_test\n"
        "class Check(rfm.RunOnlyRegressionTest):\n"
        "    def __init__(self):\n"
        "        raise ReframeSyntaxError('the site has no partition')\n"
    )
    options = ("-C", str(SETTINGS), "-c", "check.py", "--run")
    output = printed(tmp_path, "reframe", *options, RFM_WARN_AS_ERROR=warn_as_error)
    assert "skipping test" in output and "(rerun with '-v'" in output, output
    assert first_complaint(output.splitlines()) == "the site has no partition"


def test_an_option_that_reframe_does_not_have(tmp_path: Path) -> None:
    output = printed(tmp_path, "reframe", "--list", "--no-such-option")
    assert "error: unrecognized arguments: --no-such-option" in first_complaint(output.splitlines())


def test_checks_raise_no_warning_of_reframe(tmp_path: Path) -> None:
    """Deprecations of ReFrame are errors here, so that a check that uses one is not loaded."""
    output = printed(tmp_path, "reframe", "-C", str(SETTINGS), "-c", str(CHECKS), "--list", RFM_WARN_AS_ERROR="1")
    assert "WARNING" not in output and "deprecated" not in output, output
    listed = [name for name in re.findall(r"^- (\w+) ", output, re.MULTILINE) if not name.startswith("Isochron")]
    assert sorted(listed) == ["Block", "BuildEngine", "BuildNpb", "BuildWithSpack", "Tool"], output


def test_what_a_job_printed(tmp_path: Path) -> None:
    (tmp_path / "job.err").write_text("one\ntwo\n")
    case = {"stagedir": str(tmp_path), "job_stderr": "job.err", "build_stderr": None}
    assert printed_by_job(case, "job_stderr") == ["one", "two"]
    assert printed_by_job(case, "build_stderr") == printed_by_job(case, "job_stdout") == []
    assert printed_by_job({}, "job_stderr") == []


@pytest.mark.parametrize(
    ("rules", "options", "error"),
    [
        ("rule a:\n    input: 'b'\n", [], "MissingInputException in rule a"),
        pytest.param("rule a:\n    output: x y\n", [], "SyntaxError in file", marks=pytest.mark.slow),
        pytest.param("", ["--no-such-option"], "unrecognized arguments: --no-such-option", marks=pytest.mark.slow),
        pytest.param("rule a:\n    output: 'c'\n    shell: 'false'\n", [], "", marks=pytest.mark.slow),
    ],
    ids=["workflow", "syntax", "option", "job"],
)
def test_an_error_of_snakemake(tmp_path: Path, rules: str, options: list[str], error: str) -> None:
    (tmp_path / "Snakefile").write_text(rules)
    output = printed(tmp_path, "snakemake", "--cores", "1", "--nocolor", *options)
    message = snakemake_error(output)
    assert message.startswith(error) and bool(message) == bool(error), output
