# SPDX-License-Identifier: BSD-3-Clause
"""Launches whose ranks did not find each other say why, and what to write."""

from __future__ import annotations

import pytest

from isochron.reframe_checks.launch.acceptance import judge
from isochron.reframe_checks.launch.connection import why_apart
from tests.reframe_checks.conftest import FakeRun
from tests.reframe_checks.launch.test_command import spec_of

MESSAGE = "isochron-engine: 1 processes, but --expect-ranks 4; check the launcher"
#: What each launcher of a site starts here, besides the stack's own.
ABLE = ["stack", "srun", "flux", "jsrun"]


@pytest.mark.parametrize(
    ("site_launcher", "scheduler", "pmi", "said"),
    [
        ("flux", "flux", "pmix", "flux did not connect them by pmix, which flux lacks here (it comes with flux-pmix) "
         "or the library was built without; write `site.launcher: stack`, or load a module with it"),
        ("flux", "flux", "pmi2", "flux did not connect them by simple, which flux lacks here or the library was built "
         "without; write `site.launcher: stack`, or load a module with it"),
        ("srun", "slurm", "cray", "srun did not connect them by cray_shasta, which srun lacks here or the library was "
         "built without; write `site.launcher: stack`, or load a module with it"),
        ("jsrun", "lsf", "pmix", "jsrun did not connect them by pmix, which jsrun lacks here or the library was built "
         "without; load a module with it"),
        ("mpiexec", "flux", "pmi2", "the stack's own launcher did not connect them; write `site.launcher: flux`"),
        ("lrun", "slurm", "pmi2", "the stack's own launcher did not connect them; write `site.launcher: alps or ibrun "
         "or srun`"),
        ("local", "", "pmi2", "the stack's own launcher did not connect them; its mpiexec must be that of the library"),
    ],
)  # fmt: skip
def test_the_cause_and_the_remedy(site_launcher: str, scheduler: str, pmi: str, said: str) -> None:
    facts = {"site_launcher": site_launcher, "scheduler": scheduler}
    assert why_apart(MESSAGE, ABLE, pmi, facts) == f"each process was a world of its own: {said}"


@pytest.mark.parametrize("message", ["isochron-engine: 3 processes, but --expect-ranks 4; check", "no memory", ""])
def test_other_failures_have_no_such_cause(message: str) -> None:
    assert why_apart(message, ABLE, "pmix", {"site_launcher": "flux", "scheduler": "flux"}) == ""
    assert why_apart(MESSAGE, ABLE, "pmix", {}) == "", "it is not known what started them"


def test_the_reason_of_the_launch_has_it(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    spec.folder.mkdir(parents=True, exist_ok=True)
    name = spec.folder / spec.launches[0].name
    name.with_name(f"{name.name}.exit").write_text("3")
    name.with_name(f"{name.name}.err").write_text(f"{MESSAGE}\n{MESSAGE}\n")
    name.with_name(f"{name.name}.provenance").write_text('{"record": "launch", "site_launcher": "mpiexec"}\n')
    reason = judge(spec.launches[0], spec, spec.folder)
    assert reason.startswith("exit code 3") and f": {MESSAGE}; each process was a world of its own: the st" in reason
