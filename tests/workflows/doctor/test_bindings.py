# SPDX-License-Identifier: BSD-3-Clause
"""Processes that share cores are told by their processors, with the cause: part of a node, SMT, launcher."""

from __future__ import annotations

import itertools
import random

import pytest

from isochron.schemas.run.binding import NodeBinding, format_numbers, most_apart, node_bindings, parse_numbers
from isochron.schemas.run.provenance import Facts
from isochron.schemas.run.records import RECORD, Header
from tests.reframe_checks.fakes import records

#: Two sockets of two cores with two threads each.
NODE = {"cpus_online": "0-7", "smt_threads": "0-3 4-7", "socket_cpus": "0-1,4-5 2-3,6-7", "numa_cpus": "0-7"}


def header(*processors: str, host: str = "n1", threads: int = 0) -> Header:
    """The header of a launch whose ranks have these processors of one host; equal ones are one entry, as in the raw
    file."""
    ranks: dict[str, list[int]] = {}
    for rank, cpus in enumerate(processors):
        ranks.setdefault(cpus, []).append(rank)
    bindings = [{"host": host, "cpus": cpus, "ranks": ",".join(map(str, own))} for cpus, own in ranks.items()]
    document = records(launch={}, processes=len(processors), hosts=1, cases=[])[0]
    options = {**document["options"], "threads": threads}
    record = RECORD.validate_python({**document, "bindings": bindings, "options": options})
    assert isinstance(record, Header)
    return record


def bound(*processors: str, **facts: str) -> NodeBinding:
    (node,) = node_bindings(header(*processors), {"n1": {**NODE, **facts}})
    return node


def test_lists_of_numbers() -> None:
    assert parse_numbers("0-3,8") == [0, 1, 2, 3, 8]
    assert parse_numbers("") == []
    assert format_numbers(frozenset({8, 0, 1, 2, 3, 10})) == "0-3,8,10"


def test_cores_of_their_own() -> None:
    node = bound("0,4", "1,5", "2,6", "3,7")
    assert (node.sharing, node.cause) == (None, "")
    assert node.words == "4 processes of n1 have cores of their own, on 2 of 2 sockets"
    assert bound("0", "1").words == "2 processes of n1 have cores of their own, on 1 of 2 sockets"


def test_threads_of_one_core() -> None:
    node = bound("0", "4")
    assert node.sharing == "cores"
    assert node.words == "2 processes of n1 share 1 core: processors 0,4 are threads of the same cores (SMT)"
    assert node.cause == "the launcher binds them to these, although there are enough cores"
    assert bound("0", "4", smt_threads="").sharing is None  # not recorded: each processor counts


def test_one_processor_for_two_because_the_job_has_no_more() -> None:
    node = bound("0", "0", job_cpus="0")
    assert (node.sharing, node.lacks_node) == ("processors", True)
    assert node.words == "2 processes of n1 share 1 processor (0)"
    assert node.cause == "the job has processors 0 of 0-7 (cgroup): it has not the whole node"


def test_one_processor_for_two_by_the_launcher() -> None:
    node = bound("0", "0", job_cpus="0-7")
    assert (node.sharing, node.lacks_node) == ("processors", False)
    assert "although there are enough cores" in node.cause


def test_processes_that_may_move() -> None:
    node = bound("0-7", "0-7")
    assert (node.sharing, node.cause) == ("unbound", "the launcher does not bind processes")
    assert bound("0-1", "4-5").sharing == "unbound"  # other processors, the same cores
    assert bound(*["0-7"] * 5).sharing == "cores"


def test_a_node_without_facts_or_processors() -> None:
    (node,) = node_bindings(header("0", "1"), {})
    assert (node.sharing, node.words) == (None, "2 processes of n1 have cores of their own")
    assert node_bindings(header("", "1", host="n2"), {"n2": facts_of("nonsense")})[0].processors == [{1}]


@pytest.mark.parametrize(
    ("processors", "threads", "sharing", "words"),
    [
        (["0-1"], 2, None, "2 threads of 1 process of n1 have cores of their own, on 1 of 2 sockets"),
        (["0-1", "2-3"], 2, None, "4 threads of 2 processes of n1 have cores of their own, on 2 of 2 sockets"),
        (["0"], 2, "processors", "2 threads of 1 process of n1 share 1 processor (0)"),
        (["0-1", "1-2"], 2, "processors", "4 threads of 2 processes of n1 share 3 processors (0-2)"),
        (["0,4"], 2, "cores", "2 threads of 1 process of n1 share 1 core: processors 0,4 are threads of the same"),
        (["0-3", "0-3"], 2, "unbound", "4 threads of 2 processes of n1 may move among the same 4 cores (0-3)"),
        (["0-1"], 1, None, "1 processes of n1 have cores of their own"),
    ],
)  # fmt: skip
def test_every_thread_needs_a_core(processors: list[str], threads: int, sharing: str | None, words: str) -> None:
    (node,) = node_bindings(header(*processors, threads=threads), {"n1": NODE})
    assert node.sharing == sharing and node.words.startswith(words)
    assert node.could_have_own == (sharing in ("processors", "cores"))


def test_more_threads_than_the_node_has_cores() -> None:
    (node,) = node_bindings(header("0-7", "0-7", threads=4), {"n1": NODE})
    assert (node.sharing, node.could_have_own, node.cause) == ("cores", False, "")


def facts_of(text: str) -> Facts:
    return dict.fromkeys(NODE, text)


def largest(places: list[frozenset[int]]) -> int:
    """The largest number of processes with a place of their own, by trying all choices."""
    return max(len({seat for seat in seats if seat >= 0}) for seats in itertools.product(*(p | {-1} for p in places)))


@pytest.mark.parametrize("seed", range(40))
def test_as_many_as_possible_get_a_place(seed: int) -> None:
    chance = random.Random(seed)
    places = [frozenset(chance.sample(range(5), chance.randint(1, 3))) for _ in range(5)]
    assert most_apart(places) == largest(places)


def test_a_wide_node() -> None:
    assert most_apart([frozenset(range(256))] * 256) == 256
