# SPDX-License-Identifier: BSD-3-Clause
"""What to write into which file, by the message of what does not work at a site."""

import re
from typing import NamedTuple

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.launcher_kind import site_launchers
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.scheduler_kind import SchedulerKind, scheduler_of
from isochron.workflows.planning.partition import partition_launchers, partition_schedulers

#: The two files that a site's settings are in.
CAMPAIGN, REFRAME = "campaign file", "ReFrame configuration"

RANDOM = f"{CAMPAIGN}: replication.design: random"
NETWORK = (
    f"{REFRAME}: partition, env_vars: the network of the nodes, as in [['FI_TCP_IFACE', 'ib0'], "
    "['UCX_NET_DEVICES', 'mlx5_0:1'], ['OMPI_MCA_btl_tcp_if_include', 'ib0']]"
)


class Remedy(NamedTuple):
    """A message, as a regular expression in lower case, and what mends it."""

    message: str
    write: str


#: The first that is found counts.
REMEDIES = (
    Remedy(
        r"was loaded, but the stack was built with",
        f"{REFRAME}: partition and environment: no other MPI in modules, prepare_cmds, and LD_LIBRARY_PATH of env_vars",
    ),
    Remedy(
        r"was not found; check path|command not found",
        f"{REFRAME}: partition, modules or prepare_cmds: what puts the launcher on the PATH",
    ),
    Remedy(
        r"need the same processors|requested nodes are busy|job step creation temporarily disabled|"
        r"mutually exclusive|lost its turn|others of its session",
        RANDOM,
    ),
    Remedy(r"a requested node is not in the allocation", f"{CAMPAIGN}: placements: [packed]"),
    Remedy(r"a session needs more memory|mib of memory on each node", RANDOM),
    Remedy(
        r"connection (refused|timed out|reset)|no route to host|unreachable|unable to (reach|connect)|"
        r"pml add procs failed",
        NETWORK,
    ),
    Remedy(
        r"-nnodes\b", f"{CAMPAIGN}: site.launcher: stack (the scheduler is without CSM, with which the launcher comes)"
    ),
    Remedy(
        r"invalid (account|partition|qos)|unknown queue|qsub: .*queue",
        f"{REFRAME}: partition, access: the options of a job here, as in ['--partition=NAME', '--account=NAME']",
    ),
    Remedy(r"cancelled before it started", f"{CAMPAIGN}: limits.queue_hours: more hours"),
    Remedy(r"not finished within limits\.launch_seconds", f"{CAMPAIGN}: limits.launch_seconds: more seconds"),
)


def remedy_for(message: str, campaign: Campaign) -> str:
    """Return what to write into which file; empty if nothing is known, or the message says it itself."""
    if "--expect-hosts" in message:
        return other_nodes(campaign)
    known = next((remedy.write for remedy in REMEDIES if re.search(remedy.message, message, re.IGNORECASE)), "")
    return known or ", or ".join(f"{CAMPAIGN}: {words}" for words in re.findall(r"write `([^`]+)`", message))


def whole_nodes(campaign: Campaign) -> str:
    """Return how to ask for all of each node."""
    options = [kind.whole_nodes for kind in _schedulers(campaign) if kind.whole_nodes]
    return f"{REFRAME}: partition, access: {options or 'what asks for whole nodes'}"


def one_thread(campaign: Campaign) -> str:
    """Return how to ask for one thread of each core."""
    options = [kind.one_thread for kind in _schedulers(campaign) if kind.one_thread]
    return f"{REFRAME}: partition, access: {options or 'what asks for one thread of each core'}"


def _schedulers(campaign: Campaign) -> list[SchedulerKind]:
    kinds = [scheduler_of(name) for name in partition_schedulers(campaign.site)]
    return [kind for kind in kinds if kind is not None]


def launcher_of(campaign: Campaign, manifest: Manifest | None) -> str:
    """Return the launcher of the site that starts the stack; empty: the stack's own."""
    named = campaign.site.launcher
    names = partition_launchers(campaign.site) if named == "partition" else [named]
    pmi = None if manifest is None else manifest.launcher.pmi
    return next((name for name in names if name in site_launchers() and pmi in site_launchers()[name].pmi), "")


def other_nodes(campaign: Campaign) -> str:
    """Return how to get the number of nodes that was asked for."""
    if partition_schedulers(campaign.site) in ([], ["local"]):
        return (
            f"{CAMPAIGN}: site.nodes: 1, or {REFRAME}: partition, scheduler: that of the site, or call within a job of "
            f"{campaign.site.nodes} nodes"
        )
    return f"{REFRAME}: partition, sched_options: {{'use_nodes_option': True}}"
