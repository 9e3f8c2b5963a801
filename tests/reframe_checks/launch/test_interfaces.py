# SPDX-License-Identifier: BSD-3-Clause
"""The launcher of a site is asked in the job for the interfaces that it has, of which each stack gets its own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from isochron.reframe_checks.launch.launchers import launcher_commands
from isochron.reframe_checks.launch.script import job_lines
from isochron.schemas.run.manifest import Launcher
from tests.reframe_checks.conftest import FakeRun
from tests.reframe_checks.launch.test_command import spec_of
from tests.sites.launching import POINT, PROGRAMS


def job(
    run: FakeRun, launcher: str, *pmi: str, srun: str, path: str = "", site: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the job of stacks with these interfaces; each launch prints its stack and the option with its interface.

    `site`: its SLURM_MPI_TYPE.
    """
    spec = spec_of(run)
    Path(spec.attempt).mkdir(parents=True)
    stack, first = spec.stacks["fake-1"], spec.launches[0]
    stacks = {f"s{index}": stack.model_copy(update={"pmi": word}) for index, word in enumerate(pmi)}
    launches = [
        first.model_copy(
            update={"stack": name, "launchers": launcher_commands(Launcher(argv=["own"], pmi=word), POINT, name)}
        )
        for name, word in zip(stacks, pmi, strict=True)
    ]
    spec = spec.model_copy(update={"stacks": stacks, "launches": launches, "timer_check": None})
    lines = job_lines(spec, {}, launcher=launcher)
    says = 'launch() { local stack=$2; fill hosts "${@:1:1}" "${@:3}"; echo "$stack ${words[*]:0:3}"; }'
    asked = [line for line in lines if not line.startswith(("describe ", "place "))]
    first_launch = next(index for index, line in enumerate(asked) if line.startswith("launch "))
    env = os.environ | {"PATH": f"{path or PROGRAMS}:{os.environ['PATH']}", "FAKE_SRUN": srun}
    env |= {} if site is None else {"SLURM_MPI_TYPE": site}
    script = "\n".join([*asked[:first_launch], says, *asked[first_launch:]])
    return subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True, check=False)


def interfaces(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The interface of each stack in order."""
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return [line.partition("--mpi=")[2] for line in done.stdout.splitlines()]


@pytest.mark.process
@pytest.mark.parametrize(
    ("srun", "pmi", "site", "chosen"),
    [
        ("24.05", ["pmi2", "pmix", "cray"], None, ["pmi2", "pmix", "cray_shasta"]),
        ("24.05", ["pmix", "pmi2"], "pmix_v4", ["pmix_v4", "pmi2"]),
        ("20.11", ["pmi2", "orte"], "pmi2", ["pmi2", "pmix"]),
        ("20.11", ["pmix", "pmi2"], "pmix_v3", ["pmix_v3", "pmi2"]),
        ("versions", ["pmix", "pmi2", "orte"], None, ["pmix_v10", "pmi2", "pmix_v10"]),
        ("versions", ["pmix", "pmi2"], "pmix_v3", ["pmix_v3", "pmi2"]),
        ("versions", ["pmix"], "pmix_v2", ["pmix_v10"]),
        ("other", ["pmix"], "pmix_site", ["pmix_site"]),
    ],
)  # fmt: skip
def test_each_stack_is_started_by_an_interface_that_there_is(
    fake_run: FakeRun, srun: str, pmi: list[str], site: str | None, chosen: list[str]
) -> None:
    assert interfaces(job(fake_run, "srun", *pmi, srun=srun, site=site)) == chosen


@pytest.mark.process
@pytest.mark.parametrize(
    ("srun", "pmi", "site", "stack", "needs", "offers"),
    [
        ("23.11", ["pmi2", "pmix", "pmix"], None, "s1", "pmix", "none, cray_shasta, pmi2"),
        ("23.11", ["pmix"], "pmi2", "s0", "pmix", "none, cray_shasta, pmi2"),
        ("20.11", ["cray"], None, "s0", "cray_shasta", "none, openmpi, pmi2, pmix, pmix_v3"),
        ("other", ["pmi2"], "pmix_site", "s0", "pmi2", "none, pmix_site"),
    ],
)  # fmt: skip
def test_an_interface_that_it_does_not_have_ends_the_job(
    fake_run: FakeRun, srun: str, pmi: list[str], site: str | None, stack: str, needs: str, offers: str
) -> None:
    done = job(fake_run, "srun", *pmi, srun=srun, site=site)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"{stack}: its ranks connect by {needs} (launcher.pmi of its family), and `srun --mpi=list` has "
        f"only {offers} here; write `site.launcher: stack`, or load a module that brings {needs} (modules of the "
        "partition in site.reframe_config), or remove the stack\n"
    )


@pytest.mark.process
@pytest.mark.parametrize(("site", "chosen"), [(None, "pmix"), ("pmi2", "pmix"), ("pmix_v3", "pmix_v3")])
def test_without_a_list_the_launches_are_tried(
    fake_run: FakeRun, tmp_path: Path, site: str | None, chosen: str
) -> None:
    silent = tmp_path / "srun"
    silent.write_text("#!/bin/sh\necho 'srun: error: no list here' >&2; exit 1\n")
    silent.chmod(0o755)
    done = job(fake_run, "srun", "pmix", srun="24.05", path=str(tmp_path), site=site)
    assert interfaces(done) == [chosen]


@pytest.mark.process
def test_the_launcher_of_a_stack_needs_no_list(fake_run: FakeRun) -> None:
    assert job(fake_run, "mpiexec", "pmix", srun="23.11").stdout.startswith("s0 own ")
