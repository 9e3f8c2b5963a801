# SPDX-License-Identifier: BSD-3-Clause
"""A small campaign to plan and to drive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from isochron.schemas.input.campaign import Campaign

SMALL: dict[str, Any] = {
    "schema": 1,
    "name": "small",
    "stacks": ["openmpi-5.0", "mpich-5.0"],
    "operations": ["barrier", "bcast"],
    "sizes": [8, "1KiB"],
    "processes": [2, 4],
    "processes_per_node": [2],
    "replication": {"blocks": 3, "launches_per_block": 2, "design": "random"},
    "site": {"nodes": 2, "cores_per_node": 2},
}

CampaignFile = Callable[..., Path]


def campaign(**changes: Any) -> Campaign:
    return Campaign.model_validate({**SMALL, **changes})


@pytest.fixture
def campaign_file(tmp_path: Path) -> CampaignFile:
    """Writes the small campaign with changes; a value of `...` takes the key out."""

    def write(**changes: Any) -> Path:
        document = {key: value for key, value in {**SMALL, **changes}.items() if value is not ...}
        path = tmp_path / "campaign.yaml"
        path.write_text(yaml.safe_dump(document, sort_keys=False))
        return path

    return write
