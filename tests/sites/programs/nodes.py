# SPDX-License-Identifier: BSD-3-Clause
"""Nodes that are this machine under other names: a process on one has its host name, and finds all by theirs."""

from __future__ import annotations

from pathlib import Path


def on_first(hosts: list[str], names: Path, *words: str) -> list[str]:
    """Return the command that starts another on the first host; `names`: file of hosts that it sees, written here."""
    lines = [f"127.0.0.{index} {host}\n" for index, host in enumerate(["localhost", *hosts], 1)]
    names.write_text("".join(lines))
    start = 'mount --bind "$0" /etc/hosts && hostname "$1" && shift && exec "$@"'
    return ["unshare", "--uts", "--mount", "sh", "-c", start, str(names), hosts[0], *words]
