# SPDX-License-Identifier: BSD-3-Clause
"""The last table of docs/reference/studies.md: every statement of the publications with its state, and what is open."""

from collections.abc import Iterator

from isochron.schemas.input.published_findings import Sentence, findings_path, load_findings, studies

#: Sentences that no campaign measures, by study and name, and why.
NOT_MEASURED = {
    ("mpiperf", "wrong-timer"): "the campaign has 2 and 4 processes, and the clock source was at fault",
    ("two-sites", "all-nodes"): "the machine file has 16 nodes at each site; eight pairs on all four links fill its "
    "trunk, whose rate is the published one, so this confirms nothing",
    ("pmb", "barrier-by-processes"): "the campaign has 2 and 4 processes; a copy with 2 to 32 checks it",
    ("pmb", "barrier-by-node"): "the campaign has 2 and 4 processes; a copy with 16 checks it",
}

#: What else its campaign does not do, or not as published: study, place, what, and why.
OPEN = (
    ("mpiperf", "figures 3 and 11", "all", "What they show is not among the facts of the project."),
    ("mpiperf", "figure 12", "the relative error of a barrier beside another program, against many process counts",
     "The campaign has 2 and 4 processes; [copy it](../how-to/repeat-a-study.md#on-your-own-machine) with more, and "
     "with `tools`, on a larger machine."),
    ("pmb", "", "Reduce_scatter of a vector that the processes do not divide", "PMB gives r + 1 elements to the first "
     "processes and r to the others. The size of the engine is that of a block of each process, and all are alike."),
    ("npb", "", "class A, of which the published table is", "The campaign runs class S, which is not in that table: it "
     "takes seconds, class A longer. [A copy](../how-to/run-npb.md) with `classes: [A]` has both."),
    ("npb", "", "the drawings of nodes of all tables", "Those of tables 1, 10 and 12 are among the facts of the "
     "project."),
    ("bxj", "sections 5.2 and 5.7", "the jitter of reduce with 4096 processes, and of alltoall", "A simulated run "
     "takes the same time each time."),
    ("two-sites", "", "reduce of up to 32 MiB on 16 hosts", "With the choices of Intel MPI (`smpi-intel`), SimGrid "
     "3.32 ends a reduce of 4 MiB with a segmentation fault. Collectives end at 1 MiB; pairs of hosts in "
     "[two-sites-streams](#two-sites-streams) reach 32 MiB."),
    ("two-sites", "figure 5", "its sentence on Open MPI", "Its wording is not among the facts of the project."),
)  # fmt: skip

HEAD = """## Every statement, and what is open

What the publications state, and whether a campaign checks it. A checked one is in *Published findings* of the report,
with what the run has; what the campaigns do not repeat, or not as published, is open.

| study | place | statement | state |
| --- | --- | --- | --- |"""


def statement_lines(order: list[str]) -> Iterator[str]:
    """Yield the lines of the section. `order`: the campaigns, each of which is the name of a study or another one."""
    yield HEAD
    for study in sorted(studies(), key=order.index):
        for sentence in load_findings(findings_path(study)).sentences:
            yield _line(study, sentence.place, sentence.text, _state(study, sentence))
    for study, place, what, why in OPEN:
        yield _line(study, place, what, f"open. {why}")


def _state(study: str, sentence: Sentence) -> str:
    why = NOT_MEASURED.get((study, sentence.name))
    return f"open: {why}" if why else "checked"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")
