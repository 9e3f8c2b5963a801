# SPDX-License-Identifier: BSD-3-Clause
"""The files of each kind of site: the page leads to them, they are planned, and every wrong pair is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from isochron.cli.main import main
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.launcher_kind import site_launchers
from isochron.workflows.planning.pairs import site_problem
from tests.documents.pages import ROOT
from tests.sites.guides import GUIDES, files
from tests.sites.libraries import Modules

PAGE = ROOT / "docs" / "how-to" / "begin-at-your-site.md"

#: Launchers of sites that start a library there, by the interface of its ranks; `stack`: its own.
WORKS = {
    "slurm": {
        "pmi2": "alps ibrun srun stack",
        "pmix": "alps srun stack",
        "orte": "alps srun stack",
        "cray": "alps srun stack",
    },
    "pbs": {"pmi2": "alps stack", "pmix": "alps pals stack", "orte": "alps stack", "cray": "alps pals"},
    "lsf": {"pmi2": "stack", "pmix": "jsrun lrun stack", "orte": "jsrun lrun stack", "cray": ""},
}
LIBRARIES = {"mpich@5.0.2": "pmi2", "openmpi@4.1.8": "orte", "openmpi@5.0.11": "pmix", "cray-mpich": "cray"}
REMEDY = re.compile(r"(?:write `site\.launcher: (?P<others>[a-z ]+)`|use another partition), or remove the stack$")

pytestmark = pytest.mark.xdist_group("guides")  # ReFrame reads each file once


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Modules:
    """Modules of libraries that say what they are."""
    there = Modules(tmp_path_factory.mktemp("site"))
    there.described()
    return there


def test_the_page_leads_to_the_files_of_each_guide() -> None:
    linked = {(PAGE.parent / link).resolve() for link in re.findall(r"\]\(([^)#]+)\)", PAGE.read_text())}
    assert {file.resolve() for name in GUIDES for file in files(name)} <= linked


@pytest.mark.process
@pytest.mark.parametrize("name", GUIDES)
def test_the_files_are_planned_as_they_stand(
    name: str, modules: Modules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable, value in modules.variables.items():
        monkeypatch.setenv(variable, value)
    campaign, _ = files(name)
    assert main(["plan", str(campaign), "--results", str(tmp_path)]) == 0, capsys.readouterr().err


@pytest.mark.process
@pytest.mark.parametrize("name", WORKS)
def test_a_wrong_pair_is_refused_with_a_remedy_that_works(name: str) -> None:
    for stack, interface in LIBRARIES.items():
        working = {launcher for launcher in ["stack", *site_launchers()] if not problem(name, stack, launcher)}
        assert working == set(WORKS[name][interface].split()), stack
        for launcher in {"stack", *site_launchers()} - working:
            refused = problem(name, stack, launcher)
            remedy = REMEDY.search(refused)
            assert remedy, refused
            assert set((remedy["others"] or "").split(" or ")) - {""} <= working, refused


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("pbs", {"node_lists": {"half": ["n1", "n2"]}, "placements": ["half"]}, "not asked for nodes by name; call"),
        ("lsf", {"placements": ["reversed"]}, "placements: jsrun cannot place ranks on given nodes; remove the key"),
        ("flux", {"placements": ["reversed"]}, "placements: flux cannot place ranks on given nodes; remove the key"),
    ],
)
def test_nodes_that_cannot_be_had_are_refused(name: str, changes: dict[str, Any], words: str) -> None:
    document = yaml.safe_load(files(name)[0].read_text())
    assert words in problem(name, "openmpi@5.0.11", document["site"]["launcher"], **changes)


def problem(name: str, stack: str, launcher: str, **changes: Any) -> str:
    """Why a stack cannot be started so at the site of a guide."""
    campaign, settings = files(name)
    document = yaml.safe_load(campaign.read_text())
    site = {**document["site"], "reframe_config": str(settings), "launcher": launcher}
    return site_problem(Campaign.model_validate({**document, "stacks": [stack], "site": site, **changes}))
