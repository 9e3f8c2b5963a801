# SPDX-License-Identifier: BSD-3-Clause
"""Continuous integration: a change is tested by `make test`, and what others can move is pinned."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github" / "workflows" / "ci.yml"
GITLAB = ROOT / ".gitlab-ci.yml"


def jobs(service: Path) -> dict[str, Any]:
    """The jobs of a service by name."""
    document = yaml.safe_load(service.read_text())
    return (
        document["jobs"] if service == GITHUB else {name: each for name, each in document.items() if "script" in each}
    )


def commands(job: dict[str, Any]) -> list[str]:
    """What a job runs."""
    script = job.get("script", [])
    return (
        [script]
        if isinstance(script, str)
        else [*script, *(step["run"] for step in job.get("steps", []) if "run" in step)]
    )


@pytest.mark.parametrize("service", [GITHUB, GITLAB], ids=["GitHub", "GitLab"])
def test_a_change_has_to_pass_make_test(service: Path) -> None:
    on_a_change = [job for job in jobs(service).values() if "if" not in job and "rules" not in job]
    assert any(commands(job) == ["make test"] for job in on_a_change)


def test_both_services_run_the_same() -> None:
    assert {name: commands(job) for name, job in jobs(GITHUB).items()} == {
        name: commands(job) for name, job in jobs(GITLAB).items()
    }


def test_actions_are_pinned_by_hash() -> None:
    used = re.findall(r"uses: *(\S+)(.*)", GITHUB.read_text())
    assert used
    for action, comment in used:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), f"{action}: say of which version that is"


def test_the_image_leaves_out_the_same_under_podman_and_docker() -> None:
    """Docker reads one of them, Podman the other."""
    docker, podman = ROOT / ".dockerignore", ROOT / ".containerignore"
    assert docker.is_file() and not docker.is_symlink()
    assert podman.read_text() == docker.read_text()
