# SPDX-License-Identifier: BSD-3-Clause
"""Systematic errors of benchmarks: their list, and what flawed methods measure compared with correct ones.

The errors E1 to E6 are those of M. Kurnosov (MPIPerf, 2012). Both methods are measured in the same blocks, and their
ratio is taken within each. For a linear broadcast among n processes in a loop of k, process i takes
((n - 1)(k - 1) + i) / (i k) times as long as it really does: with n = k = 4 these are 2.5, 1.375 and 1.
"""

from dataclasses import dataclass

import pandas as pd

from isochron.postprocess.ingest.inputs import POINT, RESULT_KEY
from isochron.schemas.input.campaign import Campaign

#: A ratio this near to 1 shows no error.
NEAR = 0.1


@dataclass(frozen=True)
class Error:
    """A systematic error: what is compared, and what it means where the ratio is above 1, below 1, or neither."""

    name: str
    wrong: str
    right: str
    above: str
    below: str
    near: str

    def reason(self, ratio: float) -> str:
        """The ratio in words."""
        return self.near if abs(ratio - 1) <= NEAR else self.above if ratio > 1 else self.below


ERRORS = {
    "E1": Error(
        "late initialisation",
        "the very first call of a launch",
        "later calls",
        "the first call opens connections or sets up what later calls find ready",
        "later calls met something else on the machine; the first did not pay",
        "nothing is left to the first call: MPI_Init has done it",
    ),
    "E2": Error(
        "the time of one process",
        "the duration on rank 0 alone",
        "last end less first start of all processes",
        "rank 0 measures more than the operation takes: its runs and the common ones differ",
        "rank 0 has done its part before the operation is over on all processes",
        "rank 0 takes part until the end",
    ),
    "E3": Error(
        "a rotating root",
        "a loop in which each operation has the next root",
        "a fixed root, each run from a common start",
        "each root waits for the others, which have not come out of the operation before",
        "operations with different roots overlap, so that their mean is less than one of them takes",
        "overlap and waiting cancel here",
    ),
    "E4": Error(
        "buffers in the cache",
        "the same buffers in every run",
        "buffers that no cache holds",
        "the machine differed between the two; caches cannot slow an operation down",
        "data of the run before lie in the cache, and are not fetched from memory",
        "the message is so short, or the library copies it so often, that the cache does not matter",
    ),
    "E5": Error(
        "a barrier as the common start",
        "after a barrier",
        "at a time on the global clock",
        "processes leave a barrier at different moments; who comes early waits within the timed call",
        "who leaves the barrier first has done its part when the others come",
        "the barrier lets all go nearly at once",
    ),
    "E6": Error(
        "a loop without synchronisation",
        "a loop of operations, the time divided by their number",
        "each run from a common start",
        "in the loop a process waits for what the others still do of the operation before",
        "in the loop operations follow each other like goods on a belt: one begins before the last has ended",
        "each operation lets no process go before all have come, or the last process sets the pace",
    ),
}


#: The operation whose loop ratio has a closed form: the root sends to one process after the other.
LINEAR = "test-linear-bcast"
#: n and k of the published loop ratios.
PUBLISHED_SHAPE = (4, 4)


#: The quantity of E1 that was published (Kurnosov 2012, table 1, branch 0).
FIRST_OF_RANK0 = "first / second call on rank 0"

#: Columns that the rows have beside RESULT_KEY.
ERROR_COLUMNS = {
    "error": "systematic error, numbered as by Kurnosov (2012)",
    "quantity": "what is compared: `time`, `first call` (over later ones, on the slowest process), "
    f"`{FIRST_OF_RANK0}`, `spread of starts`, or `duration on rank i` of a linear broadcast, over i/(n - 1) of what "
    "its root takes, after a barrier where too few cores let no run start in time",
    "blocks": "blocks (of first calls: launches) in which both were measured",
    "wrong_us": "what the wrong way measures: median over the launches",
    "right_us": "what the right way measures: median over the launches",
    "ratio": "wrong / right: median over the blocks",
    "ratio_min": "the smallest of these ratios",
    "ratio_max": "the largest of these ratios",
    "expected": "the ratio that follows from the closed form; empty where there is none",
    "published": "the ratio as published, for 4 processes and loops of 4; of first calls on rank 0 the largest one",
    "reason": "the ratio in words",
}


def loop_ratio(processes: int, loop: int, rank: int) -> float:
    """T_i / t_i of a linear broadcast in a loop (Kurnosov 2012): ((n - 1)(k - 1) + i) / (i k) for i > 0."""
    return ((processes - 1) * (loop - 1) + rank) / (rank * loop)


def beside(
    error: str, quantity: str, wrong: pd.DataFrame, right: pd.DataFrame, value: str = "median_us"
) -> pd.DataFrame:
    """Rows of an error: `RESULT_KEY` and `ERROR_COLUMNS` but for the reason.

    `wrong`, `right`: RESULT_KEY, block and `value` of each launch.
    """
    keys = [*RESULT_KEY, "block"]
    sides = [side[side[value] > 0].groupby(keys, as_index=False)[value].median() for side in (wrong, right)]
    pairs = sides[0].merge(sides[1], on=keys, suffixes=("_wrong", "_right"))
    pairs = pairs.assign(ratio=pairs[f"{value}_wrong"] / pairs[f"{value}_right"])
    table = pairs.groupby(RESULT_KEY, sort=False, as_index=False).agg(
        blocks=("ratio", "size"),
        wrong_us=(f"{value}_wrong", "median"),
        right_us=(f"{value}_right", "median"),
        ratio_min=("ratio", "min"),
        ratio_max=("ratio", "max"),
        ratio=("ratio", "median"),
    )
    what = {"error": error, "quantity": quantity, "expected": float("nan"), "published": float("nan")}
    return pd.DataFrame(table.assign(**what))


def by_rank(wrong: pd.DataFrame, right: pd.DataFrame, loop: int) -> list[pd.DataFrame]:
    """E6 of the linear broadcast, a frame for each rank but the root.

    The root of it takes (n - 1) a, and process i truly i a. `wrong`, `right`: RESULT_KEY, block, rank and local_us (a
    run's duration on that rank) of each launch, in the loop and not.
    """
    lines = []
    root = right[(right["rank"] == 0) & (right["operation"] == LINEAR)]
    for rank in sorted(set(wrong["rank"]) - {0}):
        rank_rows = wrong[(wrong["rank"] == rank) & (wrong["operation"] == LINEAR)]
        part = root.assign(local_us=root["local_us"] * rank / (root["processes"] - 1))
        rows = beside("E6", f"duration on rank {rank}", rank_rows, part, value="local_us")
        expected = [loop_ratio(processes, loop, int(rank)) for processes in rows["processes"]]
        published = [
            each if (processes, loop) == PUBLISHED_SHAPE else float("nan")
            for each, processes in zip(expected, rows["processes"], strict=True)
        ]
        lines.append(rows.assign(expected=expected, published=published))
    return lines


def contrasts_of(campaign: Campaign) -> dict[str, str]:
    """The contrast that shows each error: the first that differs from the results in nothing but that."""
    shown = {
        "E3": {"scheme": "rotating-root"},
        "E4": {"buffers": "cold"},
        "E5": {"scheme": "barrier"},
        "E6": {"scheme": "loop"},
    }
    named = {
        error: [name for name, options in campaign.all_contrasts.items() if options == ways]
        for error, ways in shown.items()
    }
    return {error: names[0] for error, names in named.items() if names}


def shows_errors(campaign: Campaign) -> bool:
    """Return True if a campaign is there to show errors: it compares more than one wrong way with the results."""
    return len(contrasts_of(campaign)) > 1


def in_order(rows: pd.DataFrame, campaign: Campaign) -> pd.DataFrame:
    """`rows` by error, then as the campaign lists operations, points and stacks."""
    operations = [*campaign.operations, *(campaign.first_calls.operations if campaign.first_calls else [])]
    place = rows.assign(
        operation=rows["operation"].map(operations.index), stack=rows["stack"].map(campaign.stacks.index)
    ).sort_values(["error", *POINT, "operation", "bytes", "quantity", "stack"], kind="stable")
    return rows.loc[place.index].reset_index(drop=True)
