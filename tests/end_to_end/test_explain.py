# SPDX-License-Identifier: BSD-3-Clause
"""`isochron explain` with real libraries: their settings are read and set, and planted reasons are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.schemas.run.advice import Advice
from isochron.schemas.run.explanation import Explanations
from isochron.schemas.run.manifest import Manifest
from isochron.workflows.explanation.library_settings import build_reader, read_settings, shown
from tests.end_to_end.conftest import Place

pytestmark = [pytest.mark.mpi]

#: A setting of each library, its variable, and a value that is not the default.
SET = {
    "mpich-5.0": ("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial"),
    "openmpi-5.0": ("coll_tuned_priority", "OMPI_MCA_coll_tuned_priority", "17"),
}


@pytest.mark.campaign
@pytest.mark.parametrize("stack", SET)
def test_settings_are_read_and_set(stack: str, finished: Place, tmp_path: Path) -> None:
    manifest = Manifest.load(finished.run.manifest(stack))
    reader = build_reader(manifest, tmp_path)
    default = read_settings(reader, manifest)
    name, variable, value = SET[stack]
    assert default.library == manifest.mpi_library_version or default.library.startswith(manifest.mpi_library_version)
    assert len(default.settings) > 300
    assert shown(default.settings[name]) != value
    assert shown(read_settings(reader, manifest, {variable: value}).settings[name]) == value


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--pair", "mpich-5.0"], "give two stacks, as in openmpi-5.0,mpich-5.0"),
        (["--pair", "mpich-5.0,openmpi-5"], "unknown stack 'openmpi-5', did you mean 'openmpi-5.0'?"),
        (["--pair", "mpich-5.0,openmpi-5.0"], "nothing to explain"),
        (["--blocks", "2"], "too few to establish a difference in turns; give 6 or more"),
    ],
)
def test_wrong_words_are_refused(
    words: list[str], message: str, finished: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", str(finished.run.root), *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.campaign
def test_a_planted_setting_is_found_among_others(place: Place) -> None:
    """One library under two names: one of ten settings keeps its processes from copying from each other's memory."""
    others = {
        "MPIR_CVAR_GPU_FAST_COPY_MAX_SIZE_D2H": "300", "MPIR_CVAR_GPU_FAST_COPY_MAX_SIZE_H2D": "5000",
        "MPIR_CVAR_CH4_OFI_MAX_NICS": "2", "MPIR_CVAR_SCATTER_INTER_SHORT_MSG_SIZE": "4096",
        "MPIR_CVAR_GATHER_INTER_SHORT_MSG_SIZE": "4096", "MPIR_CVAR_REDSCAT_INTER_SHORT_MSG_SIZE": "1024",
        "MPIR_CVAR_CH4_OFI_MAX_RMA_SEP_CTX": "3", "MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_SERIALIZED",
        "MPIR_CVAR_ALLTOALLV_INTRA_ALGORITHM": "pairwise_sendrecv_replace",
    }  # fmt: skip
    place.write(
        stacks=["before", "mpich-5.0"],
        variants={"before": {"stack": "mpich-5.0", "environment": {"MPIR_CVAR_CH4_CMA_ENABLE": "0", **others}}},
        question={"baseline": "before", "candidate": "mpich-5.0"},
        operations=["alltoall"],
        sizes=[262144],
        replication={"blocks": 12, "launches_per_block": 1, "design": "turns"},
    )
    done = place.isochron("run", "mini.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    done = place.isochron("explain", "mini")
    assert done.returncode == 0, done.stdout + done.stderr
    [pair] = Explanations.load(place.run.explanation).pairs
    assert len(pair.tried) >= 8
    assert [[each.setting for each in case.causes] for case in pair.cases if case.causes]
    for case in pair.cases:
        assert {each.setting for each in case.causes} <= {"MPIR_CVAR_CH4_CMA_ENABLE"}
    assert done.stdout.count("MPIR_CVAR_CH4_CMA_ENABLE") >= 1


@pytest.mark.slow
@pytest.mark.campaign
def test_what_gives_a_loss_back_is_advised(place: Place) -> None:
    """One library under two names, one without copies from memory to memory: to set them again is the advice."""
    place.write(
        stacks=["mpich-5.0", "without"],
        variants={"without": {"stack": "mpich-5.0", "environment": {"MPIR_CVAR_CH4_CMA_ENABLE": "0"}}},
        question={"baseline": "mpich-5.0", "candidate": "without"},
        operations=["ping-pong", "barrier"],
        sizes=[262144],
        replication={"blocks": 12, "launches_per_block": 1, "design": "turns"},
    )
    for words in (["run", "mini.yaml"], ["explain", "mini"], ["advise", "mini"]):
        done = place.isochron(*words)
        assert done.returncode == 0, done.stdout + done.stderr
    advice = Advice.load(place.run.advice)
    assert advice.variables == {"MPIR_CVAR_CH4_CMA_ENABLE": "1"} and advice.holds
    assert [(case.operation, case.bytes) for case in advice.confirmations[0].cured] == [("ping-pong", 262144)]
    assert (place.run.root / advice.files["shell"]).read_text() == "export MPIR_CVAR_CH4_CMA_ENABLE=1\n"
    page = place.run.report.read_text()
    assert "witch with settings" in page and "What to set" in page
