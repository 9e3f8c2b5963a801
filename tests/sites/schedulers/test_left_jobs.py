# SPDX-License-Identifier: BSD-3-Clause
"""A job whose call was killed is ended by the next one, by the commands of each scheduler, and no other job is."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from isochron.reframe_checks.launch.job_end import Answer, Patience, answer_about, end_left_over, keep_job
from isochron.schemas.scheduler_kind import StatusQuery, scheduler_of
from tests.sites.launching import PROGRAMS

pytestmark = pytest.mark.process

#: Back end, variable of the imitation's folder, folder of its commands, and number, file and content of a running job.
SITES = {
    "pbspro": ("FAKE_PBS", PROGRAMS, "{}.server", "{}.server.state", json.dumps({"job_state": "R"})),
    "lsf": ("FAKE_LSF", PROGRAMS, "{}", "{}.state", "RUN"),
    "oar": ("FAKE_OAR", PROGRAMS / "oar", "{}", "{}.state", json.dumps({"state": "Running"})),
    "sge": ("FAKE_SGE", PROGRAMS / "sge", "{}", "{}.running", ""),
}


class Queue:
    """An imitated scheduler with the running jobs 1 and 2."""

    def __init__(self, back_end: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.back_end = back_end
        variable, commands, self.number, file, running = SITES[back_end]
        folder.mkdir()
        monkeypatch.setenv(variable, str(folder))
        monkeypatch.setenv("PATH", f"{commands}:/usr/bin:/bin")
        self.jobs = [subprocess.Popen(["sleep", "600"], start_new_session=True) for _ in range(2)]
        for index, job in enumerate(self.jobs, 1):
            (folder / f"{index}.session").write_text(str(job.pid))
            (folder / file.format(index)).write_text(running)

    @property
    def query(self) -> StatusQuery:
        """How the scheduler is asked."""
        scheduler = scheduler_of(self.back_end)
        assert scheduler is not None and scheduler.status is not None
        return scheduler.status

    def is_running(self, index: int) -> bool:
        """Whether the scheduler regards a job as running."""
        answer = answer_about(self.query, self.number.format(index))
        assert answer is not None
        return answer.state in self.query.running


@pytest.fixture(params=sorted(SITES))
def queue(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queue]:
    queue = Queue(request.param, tmp_path / "queue", monkeypatch)
    yield queue
    for job in queue.jobs:
        job.kill()
        job.wait()


def test_only_the_job_of_the_killed_call_is_ended(queue: Queue, tmp_path: Path) -> None:
    keep_job(tmp_path, queue.back_end, queue.number.format(1))
    assert queue.is_running(1) and queue.is_running(2)
    end_left_over(tmp_path, Patience(silence=60, interval=0.01))
    assert queue.jobs[0].wait(60) != 0
    assert not queue.is_running(1)
    assert queue.is_running(2) and queue.jobs[1].poll() is None


def test_a_job_that_has_ended_or_is_not_known_is_left_alone(queue: Queue, tmp_path: Path) -> None:
    asked: list[Answer | None] = []

    def ask(query: StatusQuery, job: str) -> Answer | None:
        asked.append(answer_about(query, job))
        return asked[-1]

    keep_job(tmp_path, queue.back_end, queue.number.format(3))
    end_left_over(tmp_path, Patience(silence=0, interval=0.01), ask)
    assert asked == [Answer("")]
    assert queue.is_running(1) and queue.is_running(2)
