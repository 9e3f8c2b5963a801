# SPDX-License-Identifier: BSD-3-Clause
"""Whatever stands in a campaign file, there is one message and no traceback."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from isochron.common.files import LONGEST_YAML, FileError
from isochron.schemas.input.campaign import Campaign
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.strict_yaml import read_strictly
from tests.workflows.conftest import SMALL

GOOD = yaml.safe_dump(SMALL, sort_keys=False)

BAD: dict[str, tuple[str, str]] = {
    "a list as a key": ("? [a, b]\n: 1\n", "not valid YAML"),
    "a mapping as a key": ("? {a: 1}\n: 1\n", "not valid YAML"),
    "a number as a key": (GOOD + "7: x\n", "7"),
    "nested too deeply": ("[" * 5000 + "]" * 5000, "nested too deeply"),
    "half of a character": (GOOD + 'title: "\\ud800"\n', "title"),
    "NUL in a text": (GOOD + 'description: "a\\0b"\n', "description: contains a control character"),
    "NUL in a hook": (GOOD + 'hooks: {on_complete: "a\\0b"}\n', "hooks.on_complete: contains a control character"),
    "NUL in a path": (GOOD + 'site: {reframe_config: "a\\0b"}\n', "site"),
    "escape in a title": (GOOD + 'title: "\\e[31mred"\n', "title: contains a control character"),
    "override in a title": (GOOD + 'title: "a\\u202Eb"\n', "title: contains a control character"),
    "isolate in a key": (GOOD + '"a\\u2066b": 1\n', "a key: contains a control character"),
    "escape in a key": (GOOD + '"\\e[31mred": 1\n', "a key: contains a control character"),
    "a huge number": (GOOD + f"seed: {'9' * 5000}\n", "not valid YAML"),
    "a huge hexadecimal number": (GOOD + f"seed: 0x{'f' * 900_000}\n", "a number of 900002 characters"),
    "a huge number of base 60": (GOOD + f"seed: 1{':59' * 3000}\n", "a number of 9001 characters"),
    "a huge fraction of base 60": (GOOD + f"seed: 1{':59' * 3000}.5\n", "a number of 9003 characters"),
    "too many blocks": (GOOD + "replication: {blocks: 1000000000}\n", "replication"),
    "a key twice": (GOOD + "name: other\n", "'name' is given twice"),
    "an alias that is not there": (GOOD + "title: *nothing\n", "undefined alias"),
    "a tag of Python's": (GOOD + "title: !!python/object:os.system x\n", "not valid YAML"),
    "a date": (GOOD + "title: 2026-01-01\n", "title"),
    "a text": ("hello", "must be a mapping"),
    "nothing": ("", "must be a mapping"),
}


@pytest.mark.parametrize(("text", "words"), BAD.values(), ids=BAD.keys())
def test_one_message(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "campaign.yaml"
    path.write_text(text)
    with pytest.raises(FileError) as caught:
        load_campaign(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert words in message
    assert "\n" not in message
    assert len(message) < 1000


@pytest.mark.slow
def test_300_000_sizes_are_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "campaign.yaml"
    path.write_text(yaml.safe_dump({**SMALL, "sizes": [8] * 300_000}, default_flow_style=True, width=10_000_000))
    assert LONGEST_YAML > path.stat().st_size > 600_000
    with pytest.raises(FileError, match="sizes: 8 is listed twice") as caught:
        load_campaign(path)
    assert len(str(caught.value)) < 1000


def test_merge_keys_mean_what_yaml_says(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("base: &base {a: 1, b: 2}\nown: {<<: *base, b: 3}\n")
    assert read_strictly(path, "") == {"base": {"a": 1, "b": 2}, "own": {"a": 1, "b": 3}}


def test_no_number_of_sizes_takes_for_ever() -> None:
    with pytest.raises(ValidationError, match="7 is listed twice"):
        Campaign.model_validate({**SMALL, "sizes": [*range(1, 300_001), 7]})


@pytest.mark.parametrize("kind", ["fifo", "folder", "device", "large"])
def test_what_is_no_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "campaign.yaml"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path = Path("/dev/zero")
    else:
        with path.open("wb") as stream:
            stream.truncate(LONGEST_YAML + 1)
    with pytest.raises(FileError, match=r"not a regular file|exceed the limit"):
        load_campaign(path)
