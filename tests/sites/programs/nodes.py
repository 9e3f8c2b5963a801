# SPDX-License-Identifier: BSD-3-Clause
"""Nodes that are this machine under other names: a process on one has its host name, and finds all by theirs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path


def on_first(hosts: list[str], names: Path, *words: str) -> list[str]:
    """Return the command that starts another on the first host; `names`: file of hosts that it sees, written here."""
    lines = [f"127.0.0.{index} {host}\n" for index, host in enumerate(["localhost", *hosts], 1)]
    names.write_text("".join(lines))
    start = 'mount --bind "$0" /etc/hosts && hostname "$1" && shift && exec "$@"'
    return ["unshare", "--uts", "--mount", "sh", "-c", start, str(names), hosts[0], *words]


def start_job(
    command: list[str],
    *,
    folder: str,
    environment: dict[str, str],
    streams: tuple[str, str],
    ended: Callable[[int], None],
    session: Path | None = None,
) -> None:
    """Run a job after the process that submitted it has ended. `streams`: files; `ended` gets its exit status.

    `session`: a file that gets the number of its session, for `end_job`.
    """
    if os.fork():
        os._exit(0)
    os.setsid()
    if session is not None:
        replace(session, str(os.getpid()))
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)
    with Path(streams[0]).open("w") as output, Path(streams[1]).open("w") as errors:
        done = subprocess.run(command, cwd=folder, env=environment, stdout=output, stderr=errors, check=False)
    ended(done.returncode)


def end_job(session: Path) -> bool:
    """Kill all processes of a job, and return whether it ran."""
    number = session.read_text() if session.exists() else ""
    done = subprocess.run(["pkill", "-KILL", "--session", number], check=False) if number else None
    session.unlink(missing_ok=True)
    return done is not None and done.returncode == 0


def replace(path: Path, text: str) -> None:
    """Write a file of a job's state, which others read meanwhile."""
    new = path.with_suffix(".new")
    new.write_text(text)
    new.rename(path)
