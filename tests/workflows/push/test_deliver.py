# SPDX-License-Identifier: BSD-3-Clause
"""Spool and retry: what is not confirmed stays, what is confirmed is sent once, and waiting ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.common.files import FileError, lock
from isochron.workflows.push.batch import PART, Batch, RefusedError, UnreachableError
from isochron.workflows.push.deliver import PAUSES, Outcome, deliver
from isochron.workflows.push.spool import Spool
from tests.workflows.push.samples import NEXT, RUN, at_once, batch, result, unsaid

URL = "https://collector.example.org:8443/isochron?site=a"


class Scripted:
    """A receiver that answers as it is told, one word for each request, and then accepts."""

    def __init__(self, *answers: type[Exception] | None) -> None:
        self.answers = list(answers)
        self.got: list[str] = []

    def accept(self, batch: Batch) -> None:
        answer = self.answers.pop(0) if self.answers else None
        if answer:
            raise answer("says no")
        self.got.append(batch.run_id)


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool.of(tmp_path, URL)


def kept(spool: Spool, *batches: Batch) -> None:
    with spool.locked():
        for each in batches:
            spool.keep(each)


def delivered(spool: Spool, receiver: Scripted) -> Outcome:
    with spool.locked():
        return deliver(spool, receiver, unsaid, at_once)


def test_each_batch_is_sent_once_the_oldest_run_first(spool: Spool) -> None:
    kept(spool, batch(NEXT), batch(RUN))
    receiver = Scripted()
    assert [each.run_id for each in delivered(spool, receiver).delivered] == receiver.got == [RUN, NEXT]
    assert delivered(spool, receiver).delivered == spool.batches() == []


def test_a_receiver_that_is_away_for_a_while_gets_everything(spool: Spool) -> None:
    kept(spool, batch())
    pauses: list[float] = []
    said: list[str] = []
    with spool.locked():
        outcome = deliver(spool, Scripted(UnreachableError, UnreachableError), said.append, pauses.append)
    assert (len(outcome.delivered), outcome.kept, pauses) == (1, [], [1, 2])
    assert said == ["says no; trying again in 1 s", "says no; trying again in 2 s"]


def test_retries_end_and_everything_is_kept_for_the_next_call(spool: Spool) -> None:
    kept(spool, batch(RUN), batch(NEXT))
    receiver = Scripted(*[UnreachableError] * (len(PAUSES) + 1))
    outcome = delivered(spool, receiver)
    assert (outcome.delivered, outcome.reasons) == ([], ["says no"])
    assert receiver.answers == receiver.got == []  # the second batch did not wait as long again
    assert [each.run_id for each in outcome.kept] == [RUN, NEXT]
    assert [each.run_id for each in delivered(spool, receiver).delivered] == [RUN, NEXT]


def test_a_batch_that_is_refused_holds_up_no_other(spool: Spool) -> None:
    kept(spool, batch(RUN), batch(NEXT))
    outcome = delivered(spool, Scripted(RefusedError))
    assert [each.run_id for each in outcome.delivered] == [NEXT]
    assert [each.run_id for each in outcome.kept] == [each.run_id for each in spool.batches()] == [RUN]
    assert outcome.reasons == [f"{RUN}: says no"]


def test_a_run_that_was_analysed_again_replaces_what_was_kept_of_it(spool: Spool) -> None:
    fresh = batch(RUN, result(RUN, 8, 3.5))
    kept(spool, batch(RUN), fresh, fresh)
    assert spool.batches() == [fresh]


def test_two_pushes_do_not_send_at_the_same_time(spool: Spool) -> None:
    with spool.locked(), (spool.folder / "lock").open() as other, pytest.raises(BlockingIOError):
        lock(other, wait=False)
    with (spool.folder / "lock").open() as other:
        assert lock(other, wait=False)


def test_receivers_have_spools_of_their_own(tmp_path: Path) -> None:
    kept(Spool.of(tmp_path, URL), batch())
    assert Spool.of(tmp_path, URL + "b").batches() == []
    assert Spool.of(tmp_path, URL).folder.name.startswith("collector.example.org-")
    assert Spool.of(tmp_path, "file:///x").folder.name.startswith("local-")


def test_a_damaged_batch_is_named_and_not_sent(spool: Spool) -> None:
    kept(spool, batch())
    (path,) = spool.folder.glob("*.jsonl")
    path.write_bytes(path.read_bytes().replace(b"2.5", b"2.6"))
    receiver = Scripted()
    with pytest.raises(FileError, match=f"{path.name}: is damaged .* remove it and push {RUN} again"):
        delivered(spool, receiver)
    assert path.exists()
    assert receiver.got == []


def test_parts_are_whole_lines_and_the_same_ones_each_time() -> None:
    many = batch(RUN, *(result(RUN, size, reason="x" * 1000) for size in range(2000)))
    parts = list(many.parts())
    assert len(parts) > 2
    assert b"".join(parts) == many.content
    assert all(len(part) <= PART and part.endswith(b"\n") for part in parts)
    assert parts == list(many.parts())
    assert list(Batch(RUN, b"x" * (PART + 1)).parts()) == [b"x" * (PART + 1)]
    assert list(Batch(RUN, b"").parts()) == []
