# SPDX-License-Identifier: BSD-3-Clause
"""The references that runs of a campaign give are those by which a site's ReFrame checks fail a library made slow."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import Place
from tests.engine.support import wheels_stack
from tests.reframe_checks.test_site_checks import reframe, write_site

pytestmark = [pytest.mark.mpi, pytest.mark.campaign, pytest.mark.slow]

STACK = "mpich-5.0"
#: A message of two ranks on one machine, whose references are of µs, takes more than 1 ms with this.
SLOW = """
#include <mpi.h>
#include <unistd.h>
int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    usleep(1000);
    return PMPI_Send(data, count, type, to, tag, comm);
}
"""
#: On a busy machine, too, three launches of each run have a value.
FORGIVING: dict[str, Any] = {
    "replication": {"blocks": 6, "launches_per_block": 1},
    "engine": {"probes": "off", "relative_error": 1.0},
}
WORDS = ("-n", "PointToPoint", "-r", "-S", "num_tasks=2", "-S", "sizes=8", "-S", "executable_opts=--max-valid,10")
#: Relative; a busy machine does not lengthen a message by that.
WIDE = 1000.0
VIOLATED = re.compile(r"ping-pong_8=(\S+) us \[(\S+), (\S+)\] in 6 launches, expected (\S+) \(l=(\S+), u=(\S+)\)")


def site(folder: Path, **variables: str) -> Path:
    """A site whose environment has the library."""
    folder.mkdir()
    mpi = wheels_stack(STACK)
    pairs = [["PATH", f"{Path(mpi.cc).parent}:$PATH"], *([name, value] for name, value in variables.items())]
    return write_site(folder, cc=mpi.cc, launcher="mpirun", names=["mpich"], variables=pairs)


def test_a_slow_library_violates_the_references_of_three_runs(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.write(stacks=[STACK], operations=["ping-pong"], sizes=[8], **FORGIVING)
    for _ in range(3):
        done = place.isochron("run", "mini.yaml", "--new")
        assert done.returncode == 0, done.stdout + done.stderr
    done = place.isochron("export", "mini", "--reframe", "--output", "references.json")
    assert done.returncode == 0, done.stdout + done.stderr
    exported = json.loads((tmp_path / "references.json").read_text())
    assert [*exported["*"]] == [f"{STACK}/ping-pong/8/2x2/packed"]
    value, lower, upper, _ = exported["*"][f"{STACK}/ping-pong/8/2x2/packed"]

    library = tmp_path / "slow.so"
    subprocess.run(
        [wheels_stack(STACK).cc, "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=SLOW, text=True, check=True
    )
    words = [*WORDS, "-S", f"stack={STACK}", "-S", f"references={tmp_path}/references.json"]
    failed = reframe(site(tmp_path / "slow", LD_PRELOAD=str(library)), *words)
    assert failed.returncode == 1
    assert "performance error: reference(s) not met by an interval: " in failed.stdout
    found = VIOLATED.search(failed.stdout)
    assert found is not None, failed.stdout
    median, low, high, expected, least, most = map(float, found.groups())
    assert low <= median <= high and low > 1000 > most
    assert expected == pytest.approx(value, rel=1e-5)
    assert (least, most) == pytest.approx((value * (1 + lower), value * (1 + upper)), rel=1e-3)

    wide = {key: [reference[0], None, WIDE, "us"] for key, reference in exported["*"].items()}
    (tmp_path / "references.json").write_text(json.dumps({"*": wide}))
    passed = reframe(site(tmp_path / "as-it-is"), *words)
    assert passed.returncode == 0, passed.stdout + passed.stderr
