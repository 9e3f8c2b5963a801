# SPDX-License-Identifier: BSD-3-Clause
"""A site's own ReFrame runs the checks on a real Slurm, by the published configuration of the site.

Slurm has the partitions that the configurations name. Changed is what differs at another place: the variables for hosts
that share few cores, and where modules are.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.cluster.site import VARIABLES
from tests.cluster.virtual import HERE, VirtualCluster
from tests.reframe_checks.test_site_checks import reframe_call
from tests.sites.libraries import Modules
from tests.sites.test_published import CONFIGURATIONS
from tests.spack_envs.test_modules import REAL

INIT = Path(REAL["lmod"]).parents[1] / "init" / "bash"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.mpi,
    pytest.mark.skipif(not INIT.is_file(), reason="Lmod is not installed (Debian: lmod)"),
]

#: Open MPI at a site whose users are not root.
AS_ROOT = [["OMPI_ALLOW_RUN_AS_ROOT", "1"], ["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"]]
#: Programming environment of each site, and lines of its configuration, with what stands there instead.
SITES = {
    "lumi": ("PrgEnv-gnu", {}),
    "vega": (
        "default",
        {
            '"prepare_cmds": [': '"prepare_cmds": ["source {init}", "module use {modules}", ',
            '[{"name": "default"}]': '[{"name": "default", "modules": ["openmpi/5.0.11"]}]',
            '"remote_detect": True': '"remote_detect": False',
        },
    ),
}
#: One is met by any time, one by none.
REFERENCES = {"exchange_8": [1.0, -1.0, 1e9, "us"], "ping-pong_8": [0.001, None, 0.1, "us"]}
#: For engines whose hosts share the cores of this machine.
OPTIONS = "--scheme,barrier,--max-reps,20,--min-valid,2,--clock-sync,linear"


def configuration_for_here(name: str, folder: Path, modules: Path) -> Path:
    """Write a site's configuration as the site would change it, if it had this cluster."""
    text = (CONFIGURATIONS / f"{name}.py").read_text()
    changes = {'"name": "cpu",': f'"name": "cpu", "env_vars": {[*VARIABLES, *AS_ROOT]},', **SITES[name][1]}
    for before, after in changes.items():
        assert text.count(before) == 1
        text = text.replace(before, after.replace("{init}", str(INIT)).replace("{modules}", str(modules)))
    path = folder / f"{name}.py"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", SITES)
def test_a_violated_reference_fails_a_check_with_its_interval(
    name: str, cluster: VirtualCluster, tmp_path: Path
) -> None:
    modules = Modules(tmp_path / "site")
    modules.real()
    modules.of_lumi()
    cluster.environment |= {
        **modules.variables,
        "BASH_ENV": str(INIT),  # as Lmod sets it in login shells
        "SLURM_MPI_TYPE": "pmi2",  # MpiDefault of a Cray is that of its own library
        "PATH": os.pathsep.join([str(HERE / "programs"), cluster.environment["PATH"]]),
    }
    (tmp_path / "references.json").write_text(json.dumps({f"{name}:cpu": REFERENCES}))
    command = reframe_call(
        configuration_for_here(name, tmp_path, modules.folder / "modules"),
        f"--system={name}:cpu", "-p", SITES[name][0], "-n", "Packing|PointToPoint", "-r",
        "-S", "sizes=8", "-S", f"executable_opts={OPTIONS}", "-S", "references=references.json",
        "--report-file=report.json",
    )  # fmt: skip
    done = cluster.on("login", *command, folder=tmp_path, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    cases = {case["name"]: case for case in json.loads((tmp_path / "report.json").read_text())["runs"][0]["testcases"]}
    results = {case_name.split()[0]: case["result"] for case_name, case in cases.items()}
    assert results == {"IsochronEngine": "pass", "IsochronPacking": "pass", "IsochronPointToPoint": "fail"}, done.stdout
    reason = cases["IsochronPointToPoint"]["fail_reason"]
    number = r"([\d.e+]+)"
    violated = re.fullmatch(
        rf".*not met by an interval: ping-pong_8={number} us \[{number}, {number}\] in 6 launches, "
        r"expected 0\.001 \(l=-inf, u=0\.0011\)",
        reason,
    )
    assert violated, reason
    value, low, high = map(float, violated.groups())
    assert 0.0011 < low <= value <= high
