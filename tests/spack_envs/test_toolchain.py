# SPDX-License-Identifier: BSD-3-Clause
"""The environment of a stack."""

from __future__ import annotations

import subprocess

import pytest

from isochron.schemas.run.manifest import Environment
from isochron.spack_envs.toolchain import all_stray_variables, applied, sanitised, shell_lines

#: By Slurm >= 23.11 in each batch job, so that mpiexec can start processes beside other steps (its src/common/env.c).
SET_BY_SLURM = {
    "OMPI_MCA_plm_slurm_args": "--external-launcher",
    "PRTE_MCA_plm_slurm_args": "--external-launcher",
    "HYDRA_BOOTSTRAP": "slurm",
    "HYDRA_LAUNCHER_EXTRA_ARGS": "--external-launcher",
    "I_MPI_HYDRA_BOOTSTRAP": "slurm",
    "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": "--external-launcher",
}
BASE = {
    "PATH": "/usr/bin:/bin",
    "LD_LIBRARY_PATH": "/opt/intel/lib",
    "I_MPI_ROOT": "/opt/intel",
    "OMPI_MCA_btl": "tcp",
    "FI_PROVIDER": "tcp",
    "HOME": "/home/a person",
    "SLURM_JOB_ID": "7",
    **SET_BY_SLURM,
    "UNTOUCHED": 'it\'s; $HOME `x` "y"',
}
CASES = {
    "nothing": Environment(),
    "unset": Environment(unset=["HOME", "I_*"]),
    "set": Environment(set={"A": "1", "B": 'it\'s; $HOME `x` "y"', "HOME": ""}),
    "prepend to something": Environment(prepend={"PATH": ["/one", "/two words"]}),
    "prepend to nothing": Environment(prepend={"NEW": ["/one", "/two"]}),
    "prepend to what was unset": Environment(unset=["LD_*"], prepend={"LD_LIBRARY_PATH": ["/mine"]}),
    "set what was unset, prepend to what was set": Environment(
        unset=["A*"], set={"AB": "/set"}, prepend={"AB": ["/first"]}
    ),
    "a stack's own among what Slurm sets": sanitised(Environment(unset=["HYDRA_BOOT*"])),
    "stray": sanitised(Environment(set={"OMPI_ALLOW_RUN_AS_ROOT": "1"})),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.process
def test_bash_and_mapping_agree(name: str) -> None:
    script = "\n".join(["set -eu", *shell_lines(CASES[name]), "exec /usr/bin/env -0"])
    done = subprocess.run(["/bin/bash", "-c", script], env=BASE, capture_output=True, check=True)
    found = dict(entry.split("=", 1) for entry in done.stdout.decode().split("\0") if entry)
    for own in ("_", "PWD", "SHLVL", "OLDPWD"):
        found.pop(own, None)
    assert found == applied(CASES[name], BASE)


def test_order_is_unset_set_prepend() -> None:
    environment = CASES["set what was unset, prepend to what was set"]
    assert applied(environment, {"AB": "/old", "AC": "gone"}) == {"AB": "/first:/set"}


def test_no_other_library_reaches_in_but_the_scheduler_does() -> None:
    result = applied(sanitised(Environment(prepend={"LD_LIBRARY_PATH": ["/mine"]})), BASE)
    assert result["LD_LIBRARY_PATH"] == "/mine"
    assert result["SLURM_JOB_ID"] == "7"
    assert not {"I_MPI_ROOT", "OMPI_MCA_btl", "FI_PROVIDER"} & result.keys()


def test_what_slurm_sets_for_mpiexec_is_kept_in_its_jobs() -> None:
    own = sanitised(Environment(unset=["HYDRA_BOOT*"], set={"I_MPI_HYDRA_BOOTSTRAP": "ssh"}))
    assert SET_BY_SLURM.items() <= applied(CASES["stray"], BASE).items()
    outside = {name: value for name, value in BASE.items() if name != "SLURM_JOB_ID"}
    assert not SET_BY_SLURM.keys() & applied(CASES["stray"], outside).keys()
    result = applied(own, BASE)
    assert "HYDRA_BOOTSTRAP" not in result and result["I_MPI_HYDRA_BOOTSTRAP"] == "ssh"


def test_sanitising_keeps_the_stacks_own_unset() -> None:
    environment = sanitised(sanitised(Environment(unset=["MINE"])))
    assert environment.unset == [*all_stray_variables(), "MINE"]
