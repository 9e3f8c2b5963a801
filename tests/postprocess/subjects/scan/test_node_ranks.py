# SPDX-License-Identifier: BSD-3-Clause
"""Slow units among many: exact tails, how often alike ones are named, and how often a slow one is found."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from isochron.stats.multiple_tests import holm
from isochron.stats.node_ranks import link_rests, node_effects, slow_p

MARGIN = float(np.log1p(0.05))


def test_the_tail_is_that_of_all_arrangements() -> None:
    """Two blocks of three and four units: P(sum of ranks ≥ that of unit 1) over the 12 pairs of ranks."""
    logs = np.log([[1.0, 3.0, 2.0, np.nan], [4.0, 3.0, 1.0, 2.0]])
    expected = [
        sum(one + other >= seen for one, other in product(range(1, 4), range(1, 5))) / 12
        for seen in (1 + 4, 3 + 3, 2 + 1)
    ]
    assert slow_p(logs, 0.0)[:3] == pytest.approx(expected)
    assert slow_p(logs, 0.0)[3] == pytest.approx(3 / 4)
    assert np.isnan(slow_p(np.array([[0.0, np.nan]]), 0.0)).all()


def test_ties_share_their_ranks() -> None:
    """Three alike of three in one block: each has rank 2, and two of three ranks are as high."""
    assert slow_p(np.zeros((1, 3)), 0.0) == pytest.approx([2 / 3] * 3)


def named(logs: np.ndarray, cases: int) -> np.ndarray:
    """What is named at 5 %, of so many cases tested together; logs: (cases, B, U)."""
    found = holm(np.concatenate([slow_p(logs[case], MARGIN) for case in range(cases)])) <= 0.05
    return found.reshape(cases, -1)


def made(rng: np.random.Generator, blocks: int, nodes: int, cases: int) -> np.ndarray:
    """Regimes of whole blocks, launches that differ by 3 %, one in ten disturbed up to fivefold, nodes alike in 1 %."""
    launches = rng.normal(0, 0.03, (cases, blocks, nodes)) + rng.normal(0, 0.01, (1, 1, nodes))
    disturbed = rng.random((1, blocks, nodes)) < 0.1
    regimes = rng.normal(0, 0.3, (1, blocks, 1))
    return np.asarray(launches + regimes + disturbed * rng.uniform(0, 1.6, (1, blocks, nodes)))


@pytest.mark.parametrize(("nodes", "blocks"), [(8, 5), (64, 4), (256, 3)])
def test_alike_nodes_are_named_in_one_scan_of_twenty_at_most(nodes: int, blocks: int) -> None:
    """Over 200 scans of two cases; 0.05 and three standard errors of a share."""
    rng = np.random.default_rng(nodes)
    wrong = sum(bool(named(made(rng, blocks, nodes, 2), 2).any()) for _ in range(200))
    assert wrong / 200 <= 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5


@pytest.mark.parametrize(("nodes", "blocks"), [(8, 8), (64, 6), (256, 7)])
def test_a_node_that_is_a_fifth_slower_is_found(nodes: int, blocks: int) -> None:
    """In nine scans of ten; with one launch in ten disturbed, and so now and then one of the slow node's rivals."""
    rng = np.random.default_rng(nodes + 1)
    found = 0
    for _ in range(100):
        logs = made(rng, blocks, nodes, 2)
        logs[:, :, 3] += np.log(1.25)
        found += bool(named(logs, 2)[:, 3].any())
    assert found >= 90


def test_a_slow_node_and_a_slow_link_are_told_apart() -> None:
    """Of eight nodes one is slow with all its links, and one further link is slow: each is named, and nothing else."""
    rng = np.random.default_rng(5)
    links = list(combinations(range(8), 2))
    logs = rng.normal(0, 0.02, (6, len(links))) + rng.normal(0, 0.3, (6, 1))
    for place, link in enumerate(links):
        logs[:, place] += np.log(1.4) * (2 in link) + np.log(1.6) * (link == (4, 6))
    effects = node_effects(logs, links, 8)
    p_values = holm(np.concatenate([slow_p(effects, MARGIN), slow_p(link_rests(logs, links, effects), MARGIN)]))
    slow = np.flatnonzero(p_values <= 0.05).tolist()
    assert slow == [2, 8 + links.index((4, 6))]
