# SPDX-License-Identifier: BSD-3-Clause
"""Kinds of schedulers: one file each, `reframe_checks/sites/schedulers/<name>.yaml`, which all others read."""

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Literal

from pydantic import Field

from isochron.common.resources import shipped
from isochron.schemas.base import Record
from isochron.schemas.kinds import read_kinds

#: Ends of a job that are not its own, and their meaning; the first that is found is the reason.
ENDS = {
    "time_limit": "the job reached its time limit",
    "node_failed": "a node of the job failed",
    "preempted": "the job was preempted",
    "cancelled": "the job was cancelled",
    "node_not_started": "a node of the job did not start",
    "deadline": "the job reached its deadline",
    "out_of_memory": "the job ran out of memory",
}
End = Literal[
    "time_limit", "node_failed", "preempted", "cancelled", "node_not_started", "deadline", "out_of_memory"
]  # fmt: skip


class StatusQuery(Record):
    """How the state of a job is asked for: ReFrame's back ends take silence for its end, and forget it if killed.

    Regular expressions are searched in the answer, and their first group is the value.
    """

    command: list[str] = Field(min_length=1)
    #: In the message about a job that the scheduler does not list.
    unknown: str
    state: str
    #: Reason of the wait of a job that has not started.
    waits_for: str = "(?!)"
    waiting: list[str]
    running: list[str] = Field(min_length=1)
    #: States of a job that did not end by itself.
    ended: dict[str, End] = Field(default_factory=dict)
    cancel: list[str] = Field(min_length=1)


class SchedulerKind(Record):
    """A scheduler. Lines of shell are executed in its jobs, with its variables."""

    description: str
    #: ReFrame's names of the back ends that submit to it.
    reframe: list[str] = Field(min_length=1)
    #: Why no campaign can be measured in the jobs that ReFrame submits to it, with a remedy; `{nodes}`: their number.
    unsuitable: str | None = None
    #: Variable that is set within its jobs.
    within: str
    #: Line of shell that prints the hosts of the allocation, one a line, in its order; repeated ones count once.
    hosts: str
    #: Variable with the number of restarts of a job, for the message about one.
    restarts: str | None = None
    #: Variable with the number of components of a job, of which a launch can use one only.
    components: str | None = None
    #: Lines of shell that end the steps of a launch, where launches are steps: they may outlive the launcher's process.
    #: `$1`: name of the launch, `{launch}` of the launcher's words, unique in the job.
    end_steps: str | None = None
    #: Lines of shell before a launch, for the launchers of libraries: what they do not read themselves of the job, and
    #: the name `$1` for the steps that they start.
    before_launch: str | None = None
    #: What is kept of a job with every launch, and of each node: name -> variable.
    job_facts: dict[str, str] = Field(default_factory=dict)
    node_facts: dict[str, str] = Field(default_factory=dict)
    #: Variables that it sets in its jobs for the launchers of libraries: kept, although stray elsewhere.
    launcher_variables: list[str] = Field(default_factory=list)
    #: Options of every job, besides what ReFrame asks for (nodes, processes, time, exclusive nodes). One whose part
    #: before `=` is in the access of the partition is left to that.
    options: list[str] = Field(default_factory=list)
    #: Option that asks for nodes by name, `{hosts}` with commas; None: ReFrame cannot ask it for them.
    named_hosts: str | None = None
    #: Options that ask for all of a node, and for one thread of each core, where a partition's access lacks them.
    whole_nodes: str | None = None
    one_thread: str | None = None
    #: Whether ReFrame's back end leaves out the access of a partition, so that it is among the options of a job.
    access_left_out: bool = False
    #: Options that ask for `{processes_per_node}` on each node in place of ReFrame's number of nodes, unless the
    #: launcher alone reaches the nodes; None: ReFrame's is understood everywhere.
    instead_of_nodes: list[str] | None = None
    #: Whether ReFrame asks for as many cores of a node as it has processes, so that all its cores are named instead.
    counts_cores: bool = False
    #: Beginning of the option that asks for a number of slots; with it a partition must name their kind.
    slots: str | None = None
    status: StatusQuery | None = None
    #: Messages, as regular expressions, in the output of a job that it ended.
    messages: dict[End, str] = Field(default_factory=dict)

    def request(
        self,
        hosts: Sequence[str],
        access: Sequence[str] = (),
        *,
        processes: int = 1,
        per_node: int = 1,
        cores: int = 1,
    ) -> list[str]:
        """Return the options of a job that needs these nodes (none: any), with the access of its partition.

        `cores`: those of all its nodes.
        """
        decided = {option.partition("=")[0] for option in access}
        options = [option for option in self.options if option.partition("=")[0] not in decided]
        options += access if self.access_left_out else []
        named = [self.named_hosts.replace("{hosts}", ",".join(hosts))] if hosts and self.named_hosts else []
        numbers = {"{processes}": str(processes), "{processes_per_node}": str(per_node), "{cores}": str(cores)}
        return [_filled(option, numbers) for option in [*options, *named]]

    def spread(self, per_node: int) -> list[str]:
        """Return the options in place of a number of nodes; none if ReFrame's is used."""
        return [_filled(option, {"{processes_per_node}": str(per_node)}) for option in self.instead_of_nodes or []]

    def slots_of(self, resources: Mapping[str, Sequence[str]], cores: int) -> dict[str, dict[str, object]]:
        """Return the values of those resources of a partition that ask for slots, which are the cores of all nodes.

        With as many slots as processes, several processes that should be on two nodes would share the first.
        """
        asking = {
            name: [option for option in options if option.startswith(self.slots)]
            for name, options in resources.items()
            if self.slots is not None
        }
        return {
            name: {field: cores for option in options for _, field, _, _ in Formatter().parse(option) if field}
            for name, options in asking.items()
            if options
        }


def _filled(option: str, numbers: dict[str, str]) -> str:
    for name, number in numbers.items():
        option = option.replace(name, number)
    return option


FOLDER = ("sites", "schedulers")


def scheduler_kinds() -> dict[str, SchedulerKind]:
    """Return every kind of scheduler by its name, sorted. Raises FileError."""
    return read_kinds(SchedulerKind, shipped("reframe_checks", *FOLDER))


def scheduler_name(back_end: str) -> str:
    """Return the name of the scheduler of a back end of ReFrame; the back end's own if no file describes it."""
    return next((name for name, kind in scheduler_kinds().items() if back_end in kind.reframe), back_end)


def scheduler_of(back_end: str) -> SchedulerKind | None:
    """Return the scheduler of a back end of ReFrame; None if no file describes it, as `local`."""
    return scheduler_kinds().get(scheduler_name(back_end))


def launcher_variables() -> dict[str, list[str]]:
    """Return the stray variables that are kept in a job, by the variable that tells a job of their scheduler."""
    return {kind.within: kind.launcher_variables for kind in scheduler_kinds().values() if kind.launcher_variables}
