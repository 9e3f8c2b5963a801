# SPDX-License-Identifier: BSD-3-Clause
"""Each key of the campaign file states its meaning and what it decides about; the digest of the plan follows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from isochron.schemas.base import FILE, Key, key_of
from isochron.schemas.engine.contract import contract
from isochron.schemas.engine.options import EngineOptions
from isochron.schemas.input.campaign import Campaign
from isochron.workflows.planning.plan import digest, make_plan
from isochron.workflows.runs import create_run, run_to_continue, update_campaign
from tests.workflows.conftest import campaign

SEQUENTIAL: dict[str, Any] = {"replication": {"blocks": 10, "launches_per_block": 2, "sequential": True}}
NPB: dict[str, Any] = {"source": "/npb", "kernels": ["EP"], "classes": ["S"]}

#: Changes of keys that neither measure nor judge.
TEXTS: dict[str, dict[str, Any]] = {
    "title": {"title": "another"},
    "description": {"description": "another"},
    "limits": {"limits": {"retries": 5, "node_hours": 7}},
    "remeasure": {"remeasure": {"blocks": 7}},
    "hooks": {"hooks": {"on_complete": "true"}},
    "analysis.views": {"analysis": {"views": ["msu"]}},
    "analysis.model": {"analysis": {"model": {"tolerance": 0.5}}},
    "site.parallel_blocks": {"site": {"nodes": 2, "cores_per_node": 2, "parallel_blocks": 2}},
    "site.spack.command": {"site": {"nodes": 2, "cores_per_node": 2, "spack": {"command": "/opt/spack"}}},
}
#: Of keys that judge.
RULES: dict[str, dict[str, Any]] = {
    "analysis.threshold": {"analysis": {"threshold": 0.1}},
    "analysis.confidence": {"analysis": {"confidence": 0.9}},
    "question": {"question": {"baseline": "mpich-5.0"}},
    "question.weights": {"question": {"weights": {"bcast": 2}}},
}
#: Of keys that measure.
MEASURED: dict[str, dict[str, Any]] = {
    "sizes": {"sizes": [8]},
    "seed": {"seed": 7},
    "engine.trim": {"engine": {"trim": 0.1}},
    "engine.reduce_op": {"engine": {"reduce_op": "max"}},
    "site.spack.externals": {
        "site": {"nodes": 2, "cores_per_node": 2, "spack": {"externals": {"openmpi@5.0.8": "/opt"}}}
    },
    "programs": {"programs": {"npb": NPB}},
    "contrasts": {"contrasts": {"cold": {"buffers": "cold"}}},
}


def fields(model: type[BaseModel], prefix: str = "", section: Key = FILE) -> Iterator[tuple[str, FieldInfo, Key]]:
    """Every key with its field and what it decides about, sections opened up."""
    for name, field in model.model_fields.items():
        kinds = [kind for kind in (field.annotation, *get_args(field.annotation)) if isinstance(kind, type)]
        inner = next((kind for kind in kinds if issubclass(kind, BaseModel)), None)
        if inner is None:
            yield f"{prefix}{name}", field, key_of(field, section)
        else:
            yield from fields(inner, f"{prefix}{name}.", key_of(field, section))


def test_every_key_says_what_it_means() -> None:
    keys = {key: field.description for key, field, _ in fields(Campaign) if not key.startswith("site.machine.")}
    assert len(keys) > 120
    assert not [key for key, meaning in keys.items() if not meaning]


def test_what_judges_does_not_measure_by_itself() -> None:
    assert {key for key, _, role in fields(Campaign) if role.judges and role.measures} == set()


@pytest.mark.parametrize("change", [*TEXTS.values(), *RULES.values()], ids=[*TEXTS, *RULES])
def test_what_does_not_measure_is_not_in_the_digest(change: dict[str, Any]) -> None:
    assert campaign(**change) != campaign()
    assert digest(campaign(**change)) == digest(campaign())


@pytest.mark.parametrize("change", MEASURED.values(), ids=MEASURED)
def test_what_measures_is_in_the_digest(change: dict[str, Any]) -> None:
    assert digest(campaign(**change)) != digest(campaign())


def test_the_rules_of_a_sequential_campaign_are_in_its_digest_and_texts_are_not() -> None:
    reference = digest(campaign(**SEQUENTIAL))
    assert reference != digest(campaign())
    for key, change in RULES.items():
        assert digest(campaign(**SEQUENTIAL, **change)) != reference, key
    for key, change in TEXTS.items():
        assert digest(campaign(**SEQUENTIAL, **change)) == reference, key


def test_texts_of_a_section_within_a_section_are_not_in_the_digest() -> None:
    reference = digest(campaign(programs={"npb": NPB}))
    texts = {"node_map": [["n1", "n2"]], "compare_with": ["ekss-npb"], "launch_seconds": 60}
    assert digest(campaign(programs={"npb": NPB | texts})) == reference
    assert digest(campaign(programs={"npb": NPB | {"flags": "-O2"}})) != reference


@pytest.mark.parametrize("change", [TEXTS["limits"], RULES["analysis.threshold"]], ids=["limits", "threshold"])
def test_a_run_continues_after_a_change_that_does_not_measure(change: dict[str, Any], tmp_path: Path) -> None:
    run = create_run(tmp_path, campaign(), make_plan(campaign()))
    changed = campaign(**change)
    assert run_to_continue(tmp_path, make_plan(changed)) == run
    assert update_campaign(run, changed) and not update_campaign(run, changed)
    other = campaign(**MEASURED["sizes"])
    assert run_to_continue(tmp_path, make_plan(other)) is None


def test_defaults_of_the_engine_have_one_owner() -> None:
    """The campaign differs in the passes alone, and where the engine refuses an option unless another one is given."""
    options = EngineOptions().model_dump()
    assert {name for name, value in options.items() if value != contract().option(name).default} == {
        *("passes", "pass_span", "time_budget", "warmup_time"),
    }
