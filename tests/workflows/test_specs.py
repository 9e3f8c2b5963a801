# SPDX-License-Identifier: BSD-3-Clause
"""Stacks by spec in a campaign file: their names, and what is refused."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from isochron.cli.campaign import listed
from isochron.common.files import FileError
from isochron.schemas.input.spec import name_of, spack_spec_of
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.planning.question import question_pairs
from tests.workflows.conftest import CampaignFile, campaign

SPECS = ["mpich-5.0", "mpich@4.0.3", {"old": "mpich@4.*"}]


def test_specs_have_names_and_are_variants(campaign_file: CampaignFile) -> None:
    loaded = load_campaign(campaign_file(stacks=SPECS))
    assert loaded.stacks == ["mpich-5.0", "mpich-4.0.3", "old"]
    assert [loaded.declared(stack) for stack in loaded.stacks] == ["mpich-5.0", "mpich@4.0.3", "mpich@4.*"]
    assert {launch.stack for launch in make_plan(loaded).launches} == set(loaded.stacks)


def test_the_name_of_the_newest_has_no_star() -> None:
    assert campaign(stacks=["mpich@4.*", "intel-mpi@2021.14"]).stacks == ["mpich-4.x", "intel-mpi-2021.14"]


def test_the_question_compares_versions_by_spec() -> None:
    made = campaign(stacks=["mpich@4.0.3", "mpich@4.1.3"])
    assert question_pairs(made).pairs == [("mpich-4.0.3", "mpich-4.1.3")]
    named = campaign(stacks=["mpich@4.0.3", "mpich@4.1.3"], question={"baseline": "mpich@4.1.3"})
    assert named.question.baseline == "mpich-4.1.3"


def test_a_name_of_a_spec_is_a_plain_name_of_a_folder() -> None:
    assert (name_of("mpich@4.*"), name_of("mpich-5.0")) == ("mpich-4.x", "mpich-5.0")
    assert name_of("prefix:/opt/MPICH-4.2+ch4/") == "opt-mpich-4.2-ch4"
    assert name_of("container:podman-hpc --mpi ghcr.io/me/mpich:4.2") == "podman-hpc-ghcr.io-me-mpich-4.2"
    assert name_of("spack:openmpi@5.0.8~cuda fabrics=ofi,ucx") == "spack-openmpi-5.0.8-no-cuda-fabrics-ofi-ucx"
    assert name_of("spack:openmpi@5.0.8 +cuda %gcc@12") == "spack-openmpi-5.0.8-cuda-gcc-12"
    assert name_of(f"prefix:/{'far/' * 30}mpi-5") == f"{'far-' * 14}far-mpi-5"[-64:].lstrip("-")


def test_a_spec_of_spack_has_package_version_and_what_is_required() -> None:
    assert spack_spec_of("spack:openmpi@5.0.8 ~cuda fabrics=ofi") == ("openmpi", "5.0.8", "~cuda fabrics=ofi")
    assert spack_spec_of("spack:intel-oneapi-mpi@2021+x %gcc@12.2") == ("intel-oneapi-mpi", "2021", "+x %gcc@12.2")
    assert spack_spec_of("spack:mpich@4.2.3") == ("mpich", "4.2.3", "")
    assert spack_spec_of("mpich@4.2.3") is None


def test_a_stack_of_the_command_line_may_have_variants_of_spack() -> None:
    assert listed("spack:mpich@5.0.2 device=ch4") == "spack:mpich@5.0.2 device=ch4"
    assert listed("new=spack:mpich@5.0.2 device=ch4") == {"new": "spack:mpich@5.0.2 device=ch4"}


def test_the_document_of_a_run_is_read_as_it_was_written() -> None:
    made = campaign(stacks=SPECS)
    assert type(made).model_validate(made.model_dump(mode="json", by_alias=True)) == made


def test_a_campaign_without_specs_has_the_digest_that_it_had() -> None:
    assert "mpich-5.0" in campaign().stacks
    assert make_plan(campaign()).digest == "536ea6b70caafa40"


def test_a_later_key_with_its_default_leaves_the_digest_as_it_was() -> None:
    assert "burst" not in campaign().measuring["engine"]
    assert make_plan(campaign(engine={"burst": 64})).digest == "536ea6b70caafa40"
    assert campaign(engine={"burst": 32}).measuring["engine"]["burst"] == 32


@pytest.mark.parametrize(
    ("stacks", "said"),
    [
        (["mpik@4.0.3"], "unknown MPI library 'mpik', did you mean 'mpich'"),
        ([{"old": "mpich-5"}], r"variants\.old\.stack: unknown stack 'mpich-5', did you mean 'mpich-5\.0'"),
        (["mpich@latest"], r"must be the name of a stack, or LIBRARY@VERSION .*\(found 'mpich@latest'\)"),
        (["prefix:/no/such"], r"variants\.no-such\.stack: /no/such is not a folder; give the one with bin/ and lib/"),
        (["prefix:mpich"], "must be an absolute path of plain characters, as in prefix:/opt/mpich-4.2"),
        (["module:mpich"], r"must be modules with their versions, as in module:mpich/4\.2 or module:gcc/12\.2 mpich/4"),
        (["module:gcc/12 "], r"must be modules with their versions, .*\(found 'module:gcc/12 '\)"),
        (
            ["container:podman"],
            r"must be a container runtime and an image, as in container:apptainer /images/mp",
        ),
        (
            ["container:docker a:1"],
            "unknown container runtime 'docker'; the runtimes are apptainer, charliecloud, p",
        ),
        (["spack:mpich"], r"must be a package of Spack with its version .*\(found 'spack:mpich'\)"),
        (["spack:mpich@5 ; ls"], r"must be a package of Spack with its version .*\(found 'spack:mpich@5 ; ls'\)"),
        (
            ["spack:opnmpi@5.0.8"],
            r"stack: unknown MPI library 'opnmpi' of Spack, did you mean 'openmpi'\?; the packages are cray-mpich,",
        ),
        (["mpich@4.0.3", "mpich@4.0.3"], "mpich-4.0.3 is listed twice"),
    ],
)
def test_what_cannot_be_had_is_one_sentence(campaign_file: CampaignFile, stacks: list[object], said: str) -> None:
    with pytest.raises(FileError, match=said) as raised:
        load_campaign(campaign_file(stacks=stacks))
    assert len(str(raised.value).splitlines()) == 1


def test_a_spec_is_refused_by_the_model_too() -> None:
    with pytest.raises(ValidationError, match="must be the name of a stack"):
        campaign(stacks=["mpich@"])
