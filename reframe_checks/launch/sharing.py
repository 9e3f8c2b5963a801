# SPDX-License-Identifier: BSD-3-Clause
"""Refuse launches whose processes share cores that would suffice for all, by what the nodes recorded."""

from collections.abc import Iterable, Mapping

from isochron.schemas.launcher_kind import site_launchers
from isochron.schemas.run.binding import NodeBinding, node_bindings
from isochron.schemas.run.ended import Ended
from isochron.schemas.run.provenance import Facts
from isochron.schemas.run.records import Header

#: How the reason begins; a further attempt would end the same.
SHARED = "header.bindings: processes share cores, and the node has enough: "


def shared_cores(header: Header, nodes: Mapping[str, Facts]) -> list[str]:
    """Return why a launch is refused: on the first node where it is so, with the cause and what mends it.

    Not refused: what is planned to have more processes than cores, is simulated, or where the node's processors are not
    known; and processes that are not bound but have enough cores together, of which the report tells. `nodes`: facts by
    host.
    """
    if header.simulated or header.launch.get("oversubscribed") == "true":
        return []
    shared = (node for node in node_bindings(header, nodes) if node.could_have_own)
    return [f"{SHARED}{node.words}: {node.cause}; {_remedy(node, header)}" for node in shared][:1]


def with_shared_cores(ended: Iterable[Ended]) -> str:
    """Return the first of these blocks that has a launch refused for that; empty if there is none."""
    return next((each.block for each in ended if any(SHARED in line for line in each.lines)), "")


def not_started(block: str, shared: str) -> str:
    """Return why a block is not started after one whose launches share cores: its own would, too."""
    return f"{block}: not started, since processes of {shared} shared cores"


def _remedy(node: NodeBinding, header: Header) -> str:
    if node.lacks_node:
        return "ask for whole nodes in the access of the partition (site.reframe_config)"
    if node.sharing == "cores":
        return "ask for one thread of each core in the access of the partition (site.reframe_config)"
    launcher = site_launchers().get(header.launch.get("launcher", ""))
    if launcher is None:
        return "remove what binds them so from the stack's variables and from env_vars of the partition"
    return (
        f"{launcher.not_bound}, or write `site.launcher: stack`"
        if launcher.not_bound
        else "write `site.launcher: stack`"
    )
