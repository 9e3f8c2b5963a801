# SPDX-License-Identifier: BSD-3-Clause
"""`isochron tune` with a real library and a planted bad default: it is found, and cured by the rules in force."""

from __future__ import annotations

import pytest

from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.tuning import Tuning
from tests.end_to_end.conftest import Place

pytestmark = [pytest.mark.mpi, pytest.mark.campaign, pytest.mark.slow]

#: A rule for all sizes of bcast (7): the pipeline (3) in segments of 64 bytes.
BAD = "1\n7\n1\n0\n1\n0 3 0 64\n"


def test_a_planted_bad_default_is_cured(place: Place) -> None:
    bad = place.folder / "bad.conf"
    bad.write_text(BAD)
    environment = {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(bad),
    }
    place.write(
        stacks=["planted"],
        variants={"planted": {"stack": "openmpi-5.0", "environment": environment}},
        operations=["bcast"],
        sizes=[8, 65536],
    )
    words = ("tune", "mini.yaml", "--minutes", "10")
    done = place.isochron(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    run = RunLayout((place.folder / "results" / "tune-planted" / "latest").resolve())
    tuning = Tuning.load(run.tuning)
    assert ("bcast", 65536) in {(case.operation, case.bytes) for case in tuning.cured}
    assert tuning.files == ["tuning/openmpi-rules.conf", "tuning/openmpi-mca-params.conf"]
    assert "cured by" in (run.tables / "findings.json").read_text()
    again = place.isochron(*words)
    assert again.returncode == 0 and again.stdout.splitlines()[-1] == done.stdout.splitlines()[-1]
