# SPDX-License-Identifier: BSD-3-Clause
"""The printed schemas are valid, and take and refuse what the models do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from pydantic import ValidationError

from isochron.cli.main import main
from isochron.common.files import FileError
from isochron.schemas.base import first_problem
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.registry import SCHEMAS, json_schema
from isochron.schemas.run.launch_file import read_launch
from isochron.workflows.campaign_file import load_campaign
from tests.reframe_checks.fakes import records, write_raw
from tests.workflows.conftest import SMALL

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_is_a_valid_schema(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", name]) == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize("path", sorted((ROOT / "workflows" / "campaigns").glob("*.yaml")), ids=lambda path: path.name)
def test_shipped_campaigns_are_valid(path: Path) -> None:
    jsonschema.validate(yaml.safe_load(path.read_text()), json_schema("campaign"))
    load_campaign(path)


def test_the_schema_refuses_what_the_model_refuses() -> None:
    validator = jsonschema.Draft202012Validator(json_schema("campaign"))
    assert validator.is_valid(SMALL)
    for change in ({"colour": "red"}, {"sizes": []}, {"sizes": ["8kB"]}, {"processes": [0]}, {"limits": {"x": 1}}):
        assert not validator.is_valid({**SMALL, **change}), change


def test_the_schema_takes_what_a_run_keeps_of_a_campaign() -> None:
    """Defaults and all."""
    further = {
        "contrasts": {"cold": {"buffers": "cold"}, "all": {"scheme": "barrier", "batch": 4, "check": True}},
        "scan": "pairs", "processes": [2], "processes_per_node": [1], "site": {"nodes": 4, "cores_per_node": 2},
        "sizes": ["8:1KiB:x2"], "engine": {"reduce_op": "max", "sync_patience": 9, "buffered_sends": True},
        "analysis": {"compare_with": [{"reference": "bxj-sendrecv", "stacks": {"mpich-5.0": "bxj"}}]},
    }  # fmt: skip
    for document in (SMALL, {**SMALL, **further}):
        kept = Campaign.model_validate(document).model_dump(mode="json", by_alias=True)
        jsonschema.validate(kept, json_schema("campaign"))
        jsonschema.validate(document, json_schema("campaign"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("schema: [1\n", "not valid YAML: "),
        ("stacks: 3\n", ": Field required"),
        (None, "cannot be read: No such file or directory; look again"),
    ],
)
def test_a_yaml_file_that_is_no_record_is_named_in_one_line(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "campaign.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(FileError, match=rf"\A{re.escape(str(path))}: .*") as caught:
        Campaign.load_yaml(path, "look again")
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name", [name for name, (adapter, _) in SCHEMAS.items() if name not in ("campaign", "family", "stack", "record")]
)
def test_a_file_of_a_newer_format_is_said_to_be_one(name: str) -> None:
    """Whatever else is different in it."""
    adapter, _ = SCHEMAS[name]
    version = "schema" if "schema" in adapter.json_schema(by_alias=True)["properties"] else "schema_version"
    with pytest.raises(ValidationError) as caught:
        adapter.validate_python({"later": 1, version: 2})
    assert first_problem(caught.value) == (
        f"{version}: is 2, but this version of Isochron reads format 1; use a version that reads format 2"
    )


def test_so_is_a_raw_file(tmp_path: Path) -> None:
    header, *rest = records(launch={"name": "a"}, processes=2, hosts=1, cases=[("bcast", 8)])
    write_raw(tmp_path / "a.jsonl", [{**header, "schema": 2}, *rest])
    with pytest.raises(
        FileError, match=r"a\.jsonl: line 1: header\.schema: is 2, but this version of Isochron reads format 1"
    ):
        read_launch(tmp_path / "a.jsonl")
