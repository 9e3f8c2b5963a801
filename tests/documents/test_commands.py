# SPDX-License-Identifier: BSD-3-Clause
"""Every command of every page is run here as it is written, or is marked with what it needs, and can be parsed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from isochron.cli.common import split_at_double_dash
from isochron.cli.main import parser
from isochron.postprocess.__main__ import main as postprocess
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunState
from isochron.workflows.runs import point_latest_to
from tests.documents.pages import NEEDS, PAGES, ROOT, Command, commands
from tests.postprocess.synthetic import Spec, write_run
from tests.shared import Shared

PRINTOUTS = ROOT / "tests" / "tools" / "printouts"

#: What `isochron` is called with in a checkout and out of one.
NAMES = ("isochron", ".venv/bin/isochron")
#: Two runs of each campaign that the pages name, the newest last; those that pages name in full are there.
RUNS = {
    "demo": ("20261120T001530Z-11aa", "20261121T001530Z-22bb"),
    "mine": ("20261120T001530Z-11aa", "20261121T001530Z-3fa2"),
    "nightly": ("20261119T013000Z-11aa", "20261120T013000Z-22bb", "20261121T013000Z-3fa2"),
}
#: A real campaign of seconds.
TINY = """\
schema: 1
name: tiny
stacks: [mpich-5.0]
operations: [bcast]
sizes: [8]
processes: [2]
processes_per_node: [2]
replication: {blocks: 2, launches_per_block: 1}
"""
FILE_OF_PAGE = re.compile(r"Write this to `([\w.-]+\.yaml)`[^\n]*\n(?:[^\n]+\n)*\n```yaml\n(.*?)```", flags=re.DOTALL)

everything = [command for page in PAGES for command in commands(page)]


def test_the_pages_have_commands_and_reasons_that_are_used() -> None:
    assert len(everything) > 60
    used = Counter(command.needs for command in everything)
    assert set(NEEDS) <= set(used), "a reason that no page has is to be removed"
    assert used[""] > 25, "commands that tests run"


@pytest.mark.parametrize("command", everything, ids=lambda command: command.where)
def test_each_call_is_one_that_the_program_takes(command: Command) -> None:
    """Also where it is not run: verbs and options of isochron, targets of make, files of pytest and others."""
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    for words in command.calls():
        if words[0] in NAMES:
            parser().parse_args(split_at_double_dash(words[1:])[0])
        elif words[0] == "make" and "-C" not in words:
            assert [word for word in words[1:] if "=" not in word and word not in targets] == []
        elif words[0].endswith("bin/pytest"):
            named = [word for word in words[1:] if word.startswith("tests")]
            assert named and all((ROOT / name).exists() for name in named)
    for script in re.findall(r"(?<![\w/])(?:scripts|container|packaging|spack_envs)/[\w./-]+", command.text):
        assert (ROOT / script).exists(), script


@pytest.fixture(scope="module")
def prepared(shared: Shared) -> Path:
    """A folder in which the pages' commands work: campaigns, complete runs, old files."""

    def make(folder: Path) -> None:
        for campaign, names in RUNS.items():
            for number, run_id in enumerate(names):
                spec = Spec(
                    name=campaign, stacks=["openmpi-5.0", "mpich-5.0"], operations=["bcast", "allreduce"],
                    sizes=[8, 1024], processes=[2], processes_per_node=[2], launches=6, runs=12,
                    launch_spread=0.01, seed=number,
                )  # fmt: skip
                run = RunLayout(write_run(folder / "results" / campaign / run_id, spec))
                RunState.load(run.state).model_copy(update={"state": "complete"}).save(run.state)
                for step in ("ingest", "analyse", "render"):
                    assert postprocess([step, str(run.root)]) == 0
                point_latest_to(run)
                for rest in ("attempts", "log", ".snakemake"):
                    (run.root / rest).mkdir(exist_ok=True)
        shutil.copytree(folder / "results" / "mine", folder / "path" / "to" / "results" / "mine", symlinks=True)
        (folder / "archive").mkdir()
        shutil.copy(PRINTOUTS / "imb-ompi-n2.txt", folder / "archive" / "imb-2021-a.txt")
        for name in ("bcast", "allreduce"):
            shutil.copy(PRINTOUTS / f"osu-ompi-n2-{name}.txt", folder / f"osu_{name}.txt")
        for name in ("campaign", "my-campaign"):
            (folder / f"{name}.yaml").write_text(TINY)
        for place in ("bin", ".venv/bin"):
            shim = folder / place / "isochron"
            shim.parent.mkdir(parents=True)
            shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m isochron "$@"\n')
            shim.chmod(0o755)

    return shared("documents", make)


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.mpi
@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(not command.needs for command in commands(page))], ids=lambda page: page.stem
)
def test_the_commands_of_a_page_do_what_they_say(page: Path, prepared: Path, tmp_path: Path) -> None:
    """In order, in one shell, in a folder of their own; files that the page says to write are written."""
    folder = tmp_path / "place"
    shutil.copytree(prepared, folder, symlinks=True)
    shutil.copytree(ROOT / "workflows" / "campaigns", folder / "workflows" / "campaigns")
    for name, text in FILE_OF_PAGE.findall(page.read_text()):
        (folder / name).write_text(text)
    script = "\n".join(["set -euxo pipefail", *(each.text for each in commands(page) if not each.needs)])
    environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:] + done.stdout[-2000:]


def test_a_command_without_a_reason_is_run_and_a_reason_must_be_known(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- needs: a site -->\n```console\n$ mail you\n```\n\n"
        "<!-- needs: minutes: isochron run demo -->\n```console\n$ isochron plan demo   # first\nsome output\n"
        "$ isochron run demo \\\n    --new\n```\n"
    )
    assert [(each.text, each.needs) for each in commands(page)] == [
        ("mail you", "a site"), ("isochron plan demo   # first", ""), ("isochron run demo --new", "minutes"),
    ]  # fmt: skip
    assert [each.calls() for each in commands(page)][1] == [["isochron", "plan", "demo"]]
    for wrong, message in (("fun", "none of"), ("minutes: isochron walk", "no command begins with")):
        page.write_text(f"<!-- needs: {wrong} -->\n```sh\nisochron run demo\n```\n")
        with pytest.raises(ValueError, match=message):
            commands(page)
