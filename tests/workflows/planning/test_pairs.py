# SPDX-License-Identifier: BSD-3-Clause
"""Libraries, launchers and schedulers that do not go together are refused by `plan`, with what would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from isochron.schemas.input.site import Site
from isochron.spack_envs import containers
from isochron.spack_envs.prefixes import Recognised
from isochron.workflows.planning import pairs
from isochron.workflows.planning.pairs import site_problem
from tests.workflows.conftest import campaign


def problem(
    stacks: list[str],
    site: dict[str, Any],
    launcher: str,
    scheduler: str,
    monkeypatch: pytest.MonkeyPatch,
    **changes: Any,
) -> str:
    """What `plan` says at a site whose partition has these."""
    monkeypatch.setattr(pairs, "partition_problem", lambda _: "")
    monkeypatch.setattr(pairs, "partition_launchers", lambda _: [launcher])
    monkeypatch.setattr(pairs, "partition_schedulers", lambda _: [scheduler])
    return site_problem(campaign(stacks=stacks, site={"reframe_config": "site.py", "nodes": 2, **site}, **changes))


@pytest.mark.parametrize(
    ("stacks", "site", "launcher", "scheduler", "words"),
    [
        (
            ["mpich@5.0.2", "openmpi@5.0.8"], {"launcher": "pals"}, "mpiexec", "pbs",
            "pals cannot start mpich-5.0.2: its ranks connect by pmi2, and pals provides cray, pmix; "
            "write `site.launcher: stack`, or remove the stack",
        ),
        (
            ["cray-mpich"], {}, "mpiexec", "pbs",
            "cray-mpich would be started by srun, which works under slurm, and the scheduler is pbs; "
            "write `site.launcher: alps or pals`, or remove the stack",
        ),
        (
            ["openmpi@4.1.7"], {}, "srun", "lsf",
            "would be started by srun, which works under slurm, and the scheduler is lsf; write "
            "`site.launcher: jsrun or lrun or stack`",
        ),
        (["intel-mpi-2021"], {"launcher": "jsrun"}, "mpiexec", "lsf", "by pmi2, and jsrun provides pmix, orte;"),
        (["openmpi@5.0.8"], {"launcher": "flux"}, "mpiexec", "slurm", "flux, which works under flux, and the sch"),
        (["mpich@5.0.2", "openmpi@5.0.8", "cray-mpich"], {}, "srun", "slurm", ""),
        (["mpich@5.0.2", "openmpi@5.0.8"], {}, "mpiexec", "pbs", ""),
        (
            ["openmpi@5.0.8", "mpich@5.0.2"], {}, "lrun", "lsf",
            "mpich-5.0.2 would be started by hydra, which starts nothing on the nodes of the jobs: lrun alone does; "
            "use another partition, or remove the stack",
        ),
        (["mpich@5.0.2"], {}, "ibrun", "slurm", ""),  # by its own
        (["cray-mpich", "openmpi@5.0.8"], {"launcher": "pals"}, "mpiexec", "pbs", ""),
        (["cray-mpich", "openmpi@5.0.8"], {"launcher": "pals"}, "mpiexec", "torque", ""),
        (["openmpi@4.1.7"], {"launcher": "pals"}, "mpiexec", "pbs", "connect by orte, and pals provides cray,"),
        (["cray-mpich"], {"launcher": "alps"}, "mpiexec", "torque", ""),
        (["openmpi@5.0.8", "mpich@5.0.2"], {"launcher": "flux"}, "mpiexec", "local", ""),
        (["cray-mpich"], {"launcher": "stack"}, "mpiexec", "pbs", "cray-mpich would be started by srun"),
    ],
)  # fmt: skip
def test_a_pair_that_cannot_work_is_refused_with_a_remedy(
    stacks: list[str], site: dict[str, Any], launcher: str, scheduler: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = problem(stacks, site, launcher, scheduler, monkeypatch)
    assert words in text and bool(words) == bool(text)


HALF = {"node_lists": {"half": ["n1", "n2"]}, "placements": ["half"]}


@pytest.mark.parametrize(
    ("changes", "site", "launcher", "scheduler", "words"),
    [
        (
            {}, {}, "flux", "flux",
            "site.reframe_config: the scheduler is flux: ReFrame asks it for one core and no node; use a partition "
            "with the scheduler `local`, and call isochron within `flux batch -N 2 -x`",
        ),
        (
            HALF, {}, "mpiexec", "pbspro",
            "node_lists.half: the scheduler pbspro is not asked for nodes by name; call isochron, with a partition "
            "whose scheduler is `local`, within a job that has these nodes, or remove the list",
        ),
        ({**HALF, "placements": ["packed"]}, {}, "mpiexec", "pbspro", ""),  # not used
        (HALF, {}, "mpiexec", "local", ""),
        (HALF, {}, "srun", "squeue", ""),
        (HALF, {}, "ssh", "of-the-site", ""),  # no file describes it
        (
            {"placements": ["packed", "random"]}, {}, "jsrun", "lsf",
            "placements: jsrun cannot place ranks on given nodes; remove the key",
        ),
        ({"placements": ["reversed"]}, {}, "mpiexec", "lsf", ""),
        ({"placements": ["reversed"]}, {}, "ibrun", "slurm", ""),  # by the stacks' own
        (
            {"placements": ["reversed"]}, {"launcher": "ibrun"}, "ibrun", "slurm",
            "placements: ibrun cannot place ranks on given nodes; remove the key, or write `site.launcher: stack`",
        ),
        (
            {"scan": "nodes", "processes": [2], "processes_per_node": [2]}, {"nodes": 3}, "lrun", "lsf",
            "scan: lrun cannot place ranks on given nodes; remove the key",
        ),
    ],
)  # fmt: skip
def test_nodes_that_cannot_be_had_are_refused_with_a_remedy(
    changes: dict[str, Any],
    site: dict[str, Any],
    launcher: str,
    scheduler: str,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stacks = ["openmpi@5.0.8"] if launcher != "ibrun" else ["mpich@5.0.2"]
    assert problem(stacks, site, launcher, scheduler, monkeypatch, **changes) == words


def test_an_unknown_launcher_is_refused() -> None:
    with pytest.raises(
        ValidationError, match=r"unknown launcher 'pal', did you mean 'pals'\?; choose from partition, st"
    ):
        Site(launcher="pal")
    with pytest.raises(ValidationError, match="unknown launcher 'hydra'"):
        Site(launcher="hydra")  # of a library: `stack`


BOXED, PODMAN = "container:charliecloud /images/mpich", "container:podman mpich:4.3"
REACH = "site.launcher: boxed is in an image, whose own launcher reaches no other node; use a launcher of the site "


@pytest.mark.parametrize(
    ("stack", "site", "launcher", "changes", "words"),
    [
        (BOXED, {"launcher": "partition"}, "srun", {}, ""),
        (BOXED, {"launcher": "srun"}, "local", {}, ""),
        (BOXED, {"launcher": "stack"}, "srun", {}, REACH),
        (BOXED, {"launcher": "partition"}, "mpiexec", {}, REACH),
        (BOXED, {"launcher": "partition"}, "jsrun", {}, REACH),  # by another interface
        (BOXED, {"nodes": 1}, "mpiexec", {}, ""),
        (PODMAN, {"nodes": 1}, "srun", {}, ""),
        (
            PODMAN, {}, "srun", {},
            "site.nodes: boxed: podman does not start the ranks of other launchers, and the launcher in the image "
            "reaches no other node; use one node, or another runtime",
        ),
        (
            BOXED, {"nodes": 1}, "srun", {"tools": [{"name": "osu", "stacks": ["boxed"]}]},
            "tools: boxed is in an image, in which only the engine is run; name other stacks in `tools.stacks`",
        ),
        (BOXED, {"nodes": 1}, "srun", {"tools": [{"name": "osu", "stacks": ["mpich-5.0"]}]}, ""),
        (
            BOXED, {"nodes": 1}, "srun", {"programs": {"npb": {"source": "/npb", "kernels": ["EP"], "classes": ["S"]}}},
            "programs.npb: boxed is in an image, in which only the engine is run; remove the key or the stack",
        ),
    ],
)  # fmt: skip
def test_a_stack_in_an_image_that_cannot_be_measured_is_refused_with_a_remedy(
    stack: str,
    site: dict[str, Any],
    launcher: str,
    changes: dict[str, Any],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inside = containers.Inside(
        Path("/opt/mpi/bin/mpicc"), "", Path("/opt/mpi/lib/libmpi.so"), Recognised("mpich", "4.3.2"), "sha256:0"
    )
    monkeypatch.setattr(containers, "look", lambda _: inside)
    variants = {"boxed": {"stack": stack}}
    text = problem(["mpich-5.0", "boxed"], site, launcher, "local", monkeypatch, variants=variants, **changes)
    assert text.startswith(words) and bool(words) == bool(text)
