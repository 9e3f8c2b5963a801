# SPDX-License-Identifier: BSD-3-Clause
"""The stacks side by side: what differs is told, what is the same is not, and a folder of a stack is no difference."""

from __future__ import annotations

import pandas as pd
import pytest

from isochron.postprocess.estimate.machine.provenance import SIDE_COLUMNS, Observation, side_by_side
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.stacks.section import BUILT_STACKS, View, short
from isochron.postprocess.subjects.stacks.table import SIDE_BY_SIDE
from isochron.schemas.run.manifest import Environment
from tests.postprocess.synthetic import manifest

STACKS = ["mpich-4.3", "mpich-5.0"]


def made(*observed: Observation, bindings: dict[str, list[str]] | None = None) -> pd.DataFrame:
    known = {stack: manifest(stack) for stack in STACKS}
    known["mpich-5.0"] = known["mpich-5.0"].model_copy(update={"environment": Environment(set={"FI_PROVIDER": "tcp"})})
    rows = [
        {"stack": stack, "processes": 4, "processes_per_node": 4, "placement": "packed", "binding": each, "hosts": "n0"}
        for stack, own in (bindings or {}).items() for each in own
    ]  # fmt: skip
    columns = ["stack", "processes", "processes_per_node", "placement", "binding", "hosts"]
    return side_by_side(known, pd.DataFrame(rows, columns=columns), list(observed))


def test_only_what_differs_is_marked_and_the_stacks_own_folder_is_no_difference() -> None:
    paths = [Observation("l", stack, "n0", "environment.LD_LIBRARY_PATH", f"/opt/{stack}/lib") for stack in STACKS]
    found = made(*paths, Observation("l", "mpich-5.0", "n0", "environment.UCX_TLS", "tcp"))
    assert list(found.columns) == list(SIDE_COLUMNS)
    differs = found.groupby("fact", sort=False)["differs"].all()
    assert differs[differs].index.tolist() == ["version", "packages", "environment UCX_TLS"]
    values = found.set_index(["fact", "stack"])["value"]
    assert values["environment LD_LIBRARY_PATH"].tolist() == ["…/lib", "…/lib"]
    assert values["environment UCX_TLS"].tolist() == ["", "tcp"]
    assert "environment FI_PROVIDER" not in differs, "what launches saw goes before what was to be set"


def test_bindings_are_as_observed_and_several_are_named() -> None:
    found = made(bindings={"mpich-4.3": ["0 | 1"], "mpich-5.0": ["0-1 (2 processes)", "0 | 1"]})
    own = found[found["fact"] == "binding, 4 per node"]
    assert own["value"].tolist() == ["0 | 1", "0-1 (2 processes); or 0 | 1"]
    assert own["differs"].all()


def test_the_transport_is_as_the_library_reported_it() -> None:
    reported = [("l1", "mpich-4.3", "tcp"), ("l1", "mpich-5.0", "tcp"), ("l2", "mpich-5.0", "verbs")]
    observed = [Observation(launch, stack, "n0", "transport", f"provider {way}") for launch, stack, way in reported]
    rows = made(*observed, bindings={"mpich-4.3": ["0 | 1"]})
    assert list(dict.fromkeys(rows["fact"]))[-3:-1] == ["binding, 4 per node", "transport"]
    assert rows.query("fact == 'transport'")["value"].tolist() == ["provider tcp", "provider tcp; or provider verbs"]
    assert rows.query("fact == 'transport'")["differs"].all()


def test_without_records_of_launches_the_environment_is_the_manifests() -> None:
    assert "environment FI_PROVIDER" in made()["fact"].tolist()


def test_what_is_very_long_is_cut_and_a_hash_is_short() -> None:
    assert short("0" * 64) == "000000000000…"
    assert len(short("0 | " * 100)) < 170 and short("0 | 1") == "0 | 1"


@pytest.mark.heavy
def test_the_section_shows_differences_and_folds_commands(demo: RunInputs, demo_analysis: Analysis) -> None:
    view = BUILT_STACKS.build(Source(demo, demo_analysis.only([SIDE_BY_SIDE]), [], []))
    assert isinstance(view, View)
    assert [fact for fact, _ in view.differs] == ["Library", "Version", "Packages"]
    assert dict(view.differs)["Version"] == ["5.0.11", "4.1.8", "5.0.2", "4.3.2", "2021.18"]
    same = dict(view.same)
    assert same["Compiler"] == "gcc 14.2.0" and same["Binding, 4 per node"] == "0 | 1 | 2 | 3"
    page = demo.layout.report.read_text()
    section = page[page.index('<section id="stacks"') :]
    section = section[: section.index("</section>")]
    table = section[: section.index("</table>")]
    assert "gcc 14.2.0" not in table and "mpiexec" not in table
    assert section.index("<summary>Commands") < section.index("mpiexec -n {processes}")
