# SPDX-License-Identifier: BSD-3-Clause
"""Ten minutes of the soak from a fresh seed (ISOCHRON_SOAK_SECONDS: other times); and that its checker can fail."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from random import Random

import pandas as pd
import pytest

from tests.end_to_end.conftest import copied
from tests.soak.campaign import own_cache, pristine
from tests.soak.checks import check, heal
from tests.soak.failure import SoakFailure
from tests.soak.lies import LIES
from tests.soak.life import Life
from tests.soak.soak import Soak
from tests.soak.table import FAULTS, draw


def test_a_seed_draws_the_same_faults_and_every_kind() -> None:
    drawn = [[draw(Random(f"7.{number}"), disk=True).name for number in range(1000)] for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert set(drawn[0]) == {fault.name for fault in FAULTS}
    assert not any(fault.needs_disk for fault in (draw(Random(number), disk=False) for number in range(1000)))


@pytest.fixture
def life(tmp_path: Path) -> Life:
    """A life that has been measured and checked."""
    cache = own_cache(tmp_path / "cache")
    source = pristine(tmp_path / "pristine", cache)
    (tmp_path / "said").mkdir()
    life = Life(copied(source, tmp_path / "life" / "place"), tmp_path / "said", None, {}, cache)
    heal(life, report=False)
    return life


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.campaign
def test_the_checker_sees_what_must_not_be(life: Life) -> None:
    """A launch that is lost, one measured again though nothing was wrong with it, a wrong value, a lie reliable."""
    run = life.place.run
    check(life, report=False)
    raw = sorted(run.launches.glob("*.jsonl"))[0]
    raw.unlink()
    with pytest.raises(SoakFailure, match="planned were"):
        check(life, report=False)
    assert life.end(life.start("run", "mini.yaml", "--until", "store")) == 0
    with pytest.raises(SoakFailure, match="measured again though nothing had touched it"):
        check(life, report=False)
    life.touched.add((run.run_id, raw.stem))
    heal(life, report=False)

    table = pd.read_parquet(run.table("measurements"))
    table.assign(median_us=table["median_us"] * 2).to_parquet(run.table("measurements"))
    with pytest.raises(SoakFailure, match="median"):
        check(life, report=False)
    table.to_parquet(run.table("measurements"))
    check(life, report=False)

    launches = pd.read_parquet(run.table("launches")).set_index("launch_id")
    attempt = int(launches["attempt"][f"{run.run_id}.{raw.stem}"])
    for lie, said in {"a crash": "is in the store", "wrong data": "the row is reliable"}.items():
        life.lies[run.run_id, attempt, raw.stem] = lie
        assert LIES[lie].stored in ("never", "doubted")
        with pytest.raises(SoakFailure, match=said):
            check(life, report=False)


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.campaign
def test_faults_from_a_fresh_seed(tmp_path: Path) -> None:
    soak = Soak(secrets.randbelow(10**6), tmp_path.resolve() / "soak", say=print)
    try:
        soak.run(float(os.environ.get("ISOCHRON_SOAK_SECONDS", "600")))
    except SoakFailure as failure:
        pytest.fail(f"{failure}\n{soak.summary()}\nagain: make soak SEED={soak.seed} FAULT={soak.number}")
    print(soak.summary())
