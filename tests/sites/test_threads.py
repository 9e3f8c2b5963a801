# SPDX-License-Identifier: BSD-3-Clause
"""Launchers give each process a core for each of its threads, in words that the imitations understand."""

from __future__ import annotations

import pytest

from isochron.schemas.launcher_kind import launcher_kinds, site_launchers, threaded
from tests.sites.launching import command, launch

#: Launcher -> interface, and words that are in its command for three threads, in this order.
WORDS = {
    "srun": ("pmi2", ["--cpu-bind=cores", "--cpus-per-task=3"]),
    "pals": ("cray", ["--cpu-bind", "depth", "--depth", "3"]),
    "flux": ("pmi2", ["--exclusive", "--cores-per-task=3"]),
    "jsrun": ("pmix", ["--cpu_per_rs", "3", "--bind", "packed:3"]),
    "alps": ("cray", ["-cc", "depth", "-d", "3"]),
}
#: Launchers of sites that divide the cores of a node among its processes without being told.
DIVIDING = {"lrun", "ibrun"}


def is_in(words: list[str], line: list[str]) -> bool:
    return any(line[start : start + len(words)] == words for start in range(len(line)))


@pytest.mark.process
@pytest.mark.parametrize("name", WORDS)
def test_the_ranks_are_started_with_cores_for_threads(name: str) -> None:
    pmi, words = WORDS[name]
    line = command(name, pmi, threads=3)
    assert is_in(words, line) and not is_in(words, command(name, pmi))
    done = launch(line, "echo $NODE")
    assert sorted(done.stdout.split()) == ["n0", "n0", "n1", "n1", "n2"], done.stderr


def test_every_launcher_of_a_site_divides_cores_or_is_told() -> None:
    assert set(site_launchers()) == set(WORDS) | DIVIDING


@pytest.mark.parametrize("name", launcher_kinds())
def test_what_is_replaced_is_in_the_command(name: str) -> None:
    kind = launcher_kinds()[name]
    words = [*kind.packed, *(kind.placed or []), *kind.bind]
    for word in kind.threaded:
        assert word in words
        replaced = " ".join(threaded(words, kind.threaded, 2))
        assert "{threads}" in replaced and "{threads}" not in " ".join(threaded(words, kind.threaded, 1))
