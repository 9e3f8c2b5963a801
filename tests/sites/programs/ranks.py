# SPDX-License-Identifier: BSD-3-Clause
"""What all imitations of launchers share: options as the real one has them, and ranks as processes of this machine."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import NoReturn


class Options(argparse.ArgumentParser):
    """Options of a launcher up to the program, none abbreviated; an unknown one ends it in the launcher's words."""

    def __init__(self, refusal: str, status: int) -> None:
        super().__init__(add_help=False, allow_abbrev=False)
        self.refusal, self.status = refusal, status

    def error(self, message: str) -> NoReturn:
        """Print the refusal with the first option that is not known."""
        unknown = next((word for word in sys.argv[1:] if word.startswith("-") and not self.knows(word)), message)
        print(self.refusal.format(option=unknown), file=sys.stderr)
        raise SystemExit(self.status)

    def knows(self, word: str) -> bool:
        """Return True for an option of the launcher."""
        return word.partition("=")[0] in self._option_string_actions

    def read(self) -> argparse.Namespace:
        """Read the command line; `program` is what follows the options."""
        self.add_argument("program", nargs=argparse.REMAINDER)
        return self.parse_args()


def start(program: list[str], ranks: int, per_node: int, variables: Callable[[int, int, int], dict[str, str]]) -> int:
    """Start the ranks, node after node, and return the highest status; 128 + number after a signal.

    `variables`: of a rank, with its number on its node and that of its node.
    """
    running = []
    for rank in range(ranks):
        env = os.environ | {"NODE": f"n{rank // per_node}"} | variables(rank, rank % per_node, rank // per_node)
        running.append(subprocess.Popen(program, env=env))
    statuses = [process.wait() for process in running]
    return max(128 - status if status < 0 else status for status in statuses)


#: Variable with the mpiexec that connects ranks in place of the launcher, by the interface that they ask for.
CONNECTS = {"pmi": "FAKE_PMI", "pmix": "FAKE_PMIX"}

#: What ranks get of what these set: of the rest (their own libraries and settings) launchers of sites set nothing.
CONNECTING = re.compile(r"PMI_|PMIX_(?!MCA_|PREFIX|INSTALL_PREFIX)")


def connects(interface: str) -> bool:
    """Return True if ranks can be real ones here, which find each other by `pmi` or `pmix`."""
    return CONNECTS[interface] in os.environ


def start_connected(
    program: list[str], ranks: int, per_node: int, variables: Callable[[int, int, int], dict[str, str]],
    interface: str, hosts: list[str],
) -> int:  # fmt: skip
    """The same as `start`, on these hosts, for a program of MPI: ranks are connected as the interface says.

    MPICH's mpiexec stands for a server of PMI, that of Open MPI 4 for one of PMIx.
    """
    used = hosts[: -(-ranks // per_node)]
    of_ranks = [variables(rank, rank % per_node, rank // per_node) for rank in range(ranks)]
    mpiexec = os.environ[CONNECTS[interface]]
    if interface == "pmi":
        words = ["-launcher", "ssh", "-hosts", ",".join(used), "-ppn", str(per_node), "-bind-to", "core"]
    else:
        words = ["--host", ",".join(f"{host}:{per_node}" for host in used), "--map-by", f"ppr:{per_node}:node"]
        words += ["--bind-to", "core"]
    env = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "HYDRA_"))}
    env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    env |= {"FAKE_RANKS": json.dumps([dict(os.environ), of_ranks])}
    as_rank = [sys.executable, __file__, *program]
    return subprocess.run([mpiexec, *words, "-n", str(ranks), *as_rank], env=env, check=False).returncode


if __name__ == "__main__":  # as one of these ranks
    rank = int(os.environ.get("PMIX_RANK") or os.environ["PMI_RANK"])
    of_caller, of_ranks = json.loads(os.environ["FAKE_RANKS"])
    given = {name: value for name, value in os.environ.items() if CONNECTING.match(name)}
    os.execvpe(sys.argv[1], sys.argv[1:], of_caller | given | of_ranks[rank])
