# SPDX-License-Identifier: BSD-3-Clause
"""The launcher of a site is asked in the job for the interfaces that it has, before the first launch."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from isochron.reframe_checks.launch.script import job_lines
from tests.reframe_checks.conftest import FakeRun
from tests.reframe_checks.launch.test_command import spec_of
from tests.sites.launching import PROGRAMS


def job(run: FakeRun, launcher: str, *pmi: str, srun: str, path: str = "") -> subprocess.CompletedProcess[str]:
    """Run the job of stacks with these interfaces until its first launch, which says `launch` instead."""
    spec = spec_of(run)
    Path(spec.attempt).mkdir(parents=True)
    stack, first = spec.stacks["fake-1"], spec.launches[0]
    commands = {"stack": ["own"], "srun": ["srun"]}
    spec = spec.model_copy(
        update={
            "stacks": {f"s{index}": stack.model_copy(update={"pmi": word}) for index, word in enumerate(pmi)},
            "launches": [
                first.model_copy(update={"stack": f"s{index}", "launchers": commands}) for index in range(len(pmi))
            ],
            "timer_check": None,
        }
    )
    lines = job_lines(spec, {}, launcher=launcher)
    asked = [line for line in lines if not line.startswith(("launch ", "describe "))]
    env = os.environ | {"PATH": f"{path or PROGRAMS}:{os.environ['PATH']}", "FAKE_SRUN": srun}
    script = "\n".join([*asked, "echo launched"])
    return subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True, check=False)


@pytest.mark.process
@pytest.mark.parametrize(
    ("srun", "pmi", "said"),
    [
        ("24.05", ["pmi2", "pmix", "cray", ""], ""),
        ("20.11", ["pmi2", "pmix"], ""),
        ("23.11", ["pmi2", "pmix", "pmix"], "s1: launcher.pmi of its family is 'pmix' for the site's launcher, and "
         "`srun --mpi=list` has only none, cray_shasta, pmi2 here; write `site.launcher: stack`, or remove the stack"),
        ("20.11", ["cray"], "s0: launcher.pmi of its family is 'cray_shasta' for the site's launcher, and `srun "
         "--mpi=list` has only none, openmpi, pmi2, pmix, pmix_v3 here; write `site.launcher: stack`, or remove the"),
    ],
)  # fmt: skip
def test_an_interface_that_it_does_not_have_ends_the_job(
    fake_run: FakeRun, srun: str, pmi: list[str], said: str
) -> None:
    done = job(fake_run, "srun", *pmi, srun=srun)
    assert (done.returncode, done.stdout) == ((1, "") if said else (0, "launched\n")), done.stderr
    assert done.stderr.startswith(said) and len(done.stderr.splitlines()) == bool(said)


@pytest.mark.process
def test_without_a_list_the_launches_are_tried(fake_run: FakeRun, tmp_path: Path) -> None:
    silent = tmp_path / "srun"
    silent.write_text("#!/bin/sh\necho 'srun: error: no list here' >&2; exit 1\n")
    silent.chmod(0o755)
    assert job(fake_run, "srun", "pmix", srun="24.05", path=str(tmp_path)).stdout == "launched\n"


@pytest.mark.process
def test_the_launcher_of_a_stack_needs_no_list(fake_run: FakeRun) -> None:
    assert job(fake_run, "mpiexec", "pmix", srun="23.11").stdout == "launched\n"
