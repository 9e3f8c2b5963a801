# SPDX-License-Identifier: BSD-3-Clause
"""Libraries, launchers and schedulers that do not go together are refused by `plan`, with what would."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from isochron.schemas.input.site import Site
from isochron.workflows.planning import pairs
from isochron.workflows.planning.pairs import launcher_problem
from tests.workflows.conftest import campaign


def problem(
    stacks: list[str], site: dict[str, Any], launcher: str, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> str:
    """What `plan` says at a site whose partition has these."""
    monkeypatch.setattr(pairs, "partition_launchers", lambda _: [launcher])
    monkeypatch.setattr(pairs, "partition_schedulers", lambda _: [scheduler])
    return launcher_problem(campaign(stacks=stacks, site={"reframe_config": "site.py", "nodes": 2, **site}))


@pytest.mark.parametrize(
    ("stacks", "site", "launcher", "scheduler", "words"),
    [
        (
            ["mpich@5.0.2", "openmpi@5.0.8"], {"launcher": "pals"}, "mpiexec", "pbs",
            "pals cannot start mpich-5.0.2: its ranks connect by pmi2, and pals provides cray, pmix; "
            "write `site.launcher: alps or stack`, or remove the stack",
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
        (["intel-mpi-2021"], {"launcher": "jsrun"}, "mpiexec", "lsf", "connect by pmi2, and jsrun provides pmix;"),
        (["openmpi@5.0.8"], {"launcher": "flux"}, "mpiexec", "slurm", "flux, which works under flux, and the sch"),
        (["mpich@5.0.2", "openmpi@5.0.8", "cray-mpich"], {}, "srun", "slurm", ""),
        (["mpich@5.0.2", "openmpi@5.0.8"], {}, "mpiexec", "pbs", ""),
        (["mpich@5.0.2"], {}, "lrun", "lsf", ""),  # by its own
        (["cray-mpich", "openmpi@5.0.8"], {"launcher": "pals"}, "mpiexec", "pbs", ""),
        (["openmpi@5.0.8", "mpich@5.0.2"], {"launcher": "flux"}, "mpiexec", "local", ""),
        (["cray-mpich"], {"launcher": "stack"}, "mpiexec", "pbs", "cray-mpich would be started by srun"),
    ],
)  # fmt: skip
def test_a_pair_that_cannot_work_is_refused_with_a_remedy(
    stacks: list[str], site: dict[str, Any], launcher: str, scheduler: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = problem(stacks, site, launcher, scheduler, monkeypatch)
    assert words in text and bool(words) == bool(text)


def test_an_unknown_launcher_is_refused() -> None:
    with pytest.raises(
        ValidationError, match=r"unknown launcher 'pal', did you mean 'pals'\?; choose from partition, st"
    ):
        Site(launcher="pal")
    with pytest.raises(ValidationError, match="unknown launcher 'hydra'"):
        Site(launcher="hydra")  # of a library: `stack`
