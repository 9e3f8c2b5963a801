# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of Snakemake's jobs: one call for all that are ready, repetitions after it, and a call that dies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

from isochron.workflows.driving.block_executor import Executor, _ended

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[3]

SNAKEFILE = """
rule all:
    default_target: True
    input:
        expand("blocks/{block}.json", block=["b001", "b002", "b003"]),

rule measure:
    output:
        "blocks/{block}.json",
    log:
        "log/block-{block}.log",
    retries: 1
    priority: lambda wildcards: 10 - int(wildcards.block[1:])
    shell:
        "false"
"""

#: In the place of `python -m isochron.reframe_checks`: b002 fails once, and in the mode `dies` the second call ends
#: without a word about it.
CALLS = """
import json, sys
from pathlib import Path
calls = Path("calls")
number = len(calls.read_text().splitlines()) + 1 if calls.exists() else 1
with calls.open("a") as stream:
    print(*sys.argv[1:], file=stream)
Path("blocks").mkdir(exist_ok=True)
print("a line of something else")
for block in sys.argv[sys.argv.index(".") + 1:]:
    fails = block == "b002" and (number == 1 or Path("dies").exists())
    if fails and number == 2:
        sys.exit("out of memory")
    if not fails:
        Path("blocks", f"{block}.json").write_text("{}")
    print(json.dumps({"block": block, "exit": int(fails), "lines": ["it failed"] * fails}), flush=True)
"""


def run_snakemake(folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "Snakefile").write_text(SNAKEFILE)
    (folder / "log").mkdir(exist_ok=True)
    (folder / "stand_in.py").write_text(CALLS)
    change = f"e.python = lambda *words: [sys.executable, {str(folder / 'stand_in.py')!r}, *words]"
    call = f"import sys; from isochron.workflows.driving import block_executor as e; {change}; sys.exit(e.main())"
    options = ["--executor", "blocks", "--jobs", "unlimited", "--cores", "1", "--keep-going", "--nolock"]
    profile = ["--workflow-profile", str(ROOT / "workflows" / "profiles" / "default")]
    command = [sys.executable, "-c", call, *profile, *options]
    return subprocess.run(command, cwd=folder, env=os.environ, capture_output=True, text=True, timeout=300, check=False)


def calls(folder: Path) -> list[list[str]]:
    return [line.split()[line.split().index("--try") + 1 :] for line in (folder / "calls").read_text().splitlines()]


def test_all_blocks_are_one_call_in_their_order_and_a_repetition_follows(tmp_path: Path) -> None:
    done = run_snakemake(tmp_path)
    assert done.returncode == 0, done.stderr
    assert calls(tmp_path) == [["1", ".", "b001", "b002", "b003"], ["2", ".", "b002"]]
    assert {path.name for path in (tmp_path / "blocks").iterdir()} == {"b001.json", "b002.json", "b003.json"}
    assert (tmp_path / "log" / "block-b002.log").read_text() == ""


def test_a_call_that_dies_fails_its_blocks_with_its_last_line(tmp_path: Path) -> None:
    (tmp_path / "dies").touch()
    assert run_snakemake(tmp_path).returncode != 0
    assert calls(tmp_path)[1:] == [["2", ".", "b002"]]
    assert (tmp_path / "log" / "block-b002.log").read_text() == "out of memory\n"
    assert (tmp_path / "blocks" / "b003.json").exists()


def test_a_line_that_is_not_complete_is_not_read() -> None:
    assert _ended('{"block": "b001", "exit": 0, "lines": []') is None
    ended = _ended('{"block": "b001", "exit": 0, "lines": []}')
    assert ended is not None
    assert (ended.block, ended.exit) == ("b001", 0)


def test_it_can_be_checked_before_snakemake_has_made_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Snakemake starts the thread of the checks in the middle of its constructor; if that fails, it waits for ever."""
    found: list[object] = []
    monkeypatch.setattr(RemoteExecutor, "__init__", lambda self: found.append(self._advance()))
    Executor()
    assert found == [{}]
