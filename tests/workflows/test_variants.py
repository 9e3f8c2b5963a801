# SPDX-License-Identifier: BSD-3-Clause
"""Variants: a stack under further names, with variables that only its launches have."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from isochron.common.files import FileError
from isochron.schemas.run.manifest import Environment, Launcher, Toolchain
from isochron.spack_envs.declarations import declaration_in, load_declaration
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.rehearsal import rehearsal_of
from tests.workflows.conftest import CampaignFile, campaign

TUNED = {"tuned": {"stack": "mpich-5.0", "environment": {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "binomial"}}}


def test_a_variant_is_planned_like_its_stack() -> None:
    both = campaign(stacks=["mpich-5.0", "tuned"], variants=TUNED)
    plan = make_plan(both)
    assert {launch.stack for launch in plan.launches} == {"mpich-5.0", "tuned"}
    assert declaration_in(both, "tuned") == load_declaration("mpich-5.0").model_copy(update={"stack": "tuned"})


def test_the_digest_has_the_variables() -> None:
    one = make_plan(campaign(stacks=["tuned"], variants=TUNED)).digest
    other = {"tuned": {"stack": "mpich-5.0", "environment": {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "scatter"}}}
    assert make_plan(campaign(stacks=["tuned"], variants=other)).digest != one


@pytest.mark.parametrize(
    ("variants", "said"),
    [
        ({"other": {"stack": "mpich-5.0"}}, "variants.other: is not among the stacks"),
        ({"openmpi-5.0": {"stack": "mpich-5.0"}, "mpich-5.0": {"stack": "mpich-4.3"}}, "is a variant itself"),
        ({"mpich-5.0": {"stack": "mpich-4.3", "environment": {"A B": "1"}}}, "String should match pattern"),
    ],
)
def test_what_is_no_variant_is_refused(variants: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        campaign(variants=variants)


def test_an_unknown_stack_of_a_variant_is_named(campaign_file: CampaignFile) -> None:
    path = campaign_file(stacks=["tuned"], variants={"tuned": {"stack": "mpich-5"}})
    with pytest.raises(FileError, match=r"variants\.tuned\.stack: unknown stack 'mpich-5', did you mean 'mpich-5\.0'"):
        load_campaign(path)


def test_launches_have_the_variables_and_the_build_has_not() -> None:
    declaration = load_declaration("mpich-5.0")
    toolchain = Toolchain(
        declaration=declaration, stack_source="wheels", prefix="/p", cc="/p/bin/mpicc",
        launcher=Launcher(argv=["mpiexec"]), environment=Environment(set={"A": "1"}), provenance={},
    ).under("tuned", {"B": "2"})  # fmt: skip
    assert (toolchain.declaration.stack, toolchain.variant_of) == ("tuned", "mpich-5.0")
    assert (toolchain.environment.set, toolchain.variables) == ({"A": "1"}, {"B": "2"})


def test_a_variant_is_rehearsed_by_what_stands_in_for_its_stack() -> None:
    from pathlib import Path

    from isochron.workflows.machine_file import load_machine

    machine = load_machine("infiniband-fat-tree", Path.cwd())
    rehearsal = rehearsal_of(campaign(stacks=["mpich-5.0", "tuned"], variants=TUNED), machine, quick=True, parallel=1)
    assert rehearsal.stacks == ["smpi-mpich"]
    assert rehearsal.variants == {}
