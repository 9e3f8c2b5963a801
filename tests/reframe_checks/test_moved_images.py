# SPDX-License-Identifier: BSD-3-Clause
"""A run with a stack in an image that was moved: its folder is shown inside where it is now."""

from __future__ import annotations

from isochron.reframe_checks.run_folder import load_manifests
from isochron.schemas.run.manifest import Container
from tests.reframe_checks.conftest import FakeRun


def test_a_moved_run_is_shown_where_it_is(fake_run: FakeRun) -> None:
    layout, before = fake_run.layout, "/before/run-1"
    words = ["enter", f"--bind={before}:{before}", "an-image", "--"]
    container = Container(
        runtime="r", image="an-image", digest="0", enter=words, enter_rank=["rank", *words], check=["digest"]
    )
    manifest = fake_run.manifest.model_copy(
        update={"engine": f"{before}/stacks/fake-1/isochron-engine", "container": container}
    )
    manifest.save(layout.manifest("fake-1"))
    assert load_manifests(layout, fake_run.block)["fake-1"] == manifest, "without its engine: nothing was moved"

    layout.engine("fake-1").parent.mkdir(parents=True)
    layout.engine("fake-1").touch()
    moved = load_manifests(layout, fake_run.block)["fake-1"]
    now = ["enter", f"--bind={layout.root}:{layout.root}", "an-image", "--"]
    assert moved.engine == str(layout.engine("fake-1"))
    assert moved.container == container.model_copy(update={"enter": now, "enter_rank": ["rank", *now]})
