# SPDX-License-Identifier: BSD-3-Clause
"""A receiver of JSON lines, as docs/how-to/push.md asks for: what it has confirmed survives its death.

usage: python -m tests.workflows.push.receiver FILE PORT [die-after N]

It keeps records in FILE (SQLite) by their keys, and counts how often each was stored newly. `die-after N`: it stores
request N and ends before it answers, as a machine does whose power fails.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer


class Receiver(BaseHTTPRequestHandler):
    """Stores each batch once, by its Idempotency-Key, and each record once, by its own key."""

    file = ""
    requests = 0
    die_after = 0

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        type(self).requests += 1
        store(self.file, self.headers["Idempotency-Key"], content)
        if self.requests == self.die_after:
            os._exit(1)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Be silent."""


def opened(file: str) -> sqlite3.Connection:
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE IF NOT EXISTS batches (key TEXT PRIMARY KEY, repeated INT)")
    connection.execute("CREATE TABLE IF NOT EXISTS records (key TEXT PRIMARY KEY, record TEXT)")
    return connection


def store(file: str, batch: str, content: bytes) -> None:
    with closing(opened(file)) as connection, connection:
        known = connection.execute("UPDATE batches SET repeated = repeated + 1 WHERE key = ?", [batch]).rowcount
        if not known:
            connection.execute("INSERT INTO batches VALUES (?, 0)", [batch])
            lines = [(json.loads(line)["key"], line.decode()) for line in content.splitlines()]
            connection.executemany("INSERT OR REPLACE INTO records VALUES (?, ?)", lines)


def stored(file: str) -> dict[str, str]:
    with closing(opened(file)) as connection:
        return dict(connection.execute("SELECT key, record FROM records"))


def repeated(file: str) -> int:
    """How many batches came a second time."""
    with closing(opened(file)) as connection:
        return int(connection.execute("SELECT total(repeated) FROM batches").fetchone()[0])


if __name__ == "__main__":
    Receiver.file = sys.argv[1]
    Receiver.die_after = int(sys.argv[4]) if sys.argv[3:4] == ["die-after"] else 0
    with HTTPServer(("127.0.0.1", int(sys.argv[2])), Receiver) as server:
        print(server.server_port, flush=True)
        server.serve_forever()
