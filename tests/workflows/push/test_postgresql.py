# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a real PostgreSQL: made on first use, stored once, through deaths of the server.

The server is one of the test's own, with a password that stands in a file of passwords alone.
"""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from isochron.workflows.push.batch import RefusedError, UnreachableError
from isochron.workflows.push.deliver import deliver
from isochron.workflows.push.postgresql import TABLES, PostgresReceiver
from isochron.workflows.push.spool import Spool
from tests.workflows.push.dashboards import document, filled, queries
from tests.workflows.push.samples import NEXT, RUN, answer, at_once, batch, comparison, result, unsaid

psycopg = pytest.importorskip("psycopg", reason="the package psycopg is not installed: make dev")

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
OWNER = "postgres" if os.getuid() == 0 else getpass.getuser()  # the server refuses to run as root
PASSWORD = "s3same-open"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.xdist_group("postgresql"),
    pytest.mark.skipif(not BINARIES, reason="no PostgreSQL here: apt-get install postgresql"),
]


@dataclass
class Server:
    """A server with its data in a folder."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"postgresql://isochron@127.0.0.1:{self.port}/postgres?passfile={self.folder}/pgpass"

    def call(self, program: str, *options: str) -> None:
        command = [str(BINARIES[-1] / program), *options]
        done = subprocess.run(
            command, user=OWNER, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + (self.folder / "log").read_text()

    def make(self) -> None:
        (self.folder / "password").write_text(PASSWORD)
        (self.folder / "log").touch()
        (self.folder / "pgpass").write_text(f"*:*:*:isochron:{PASSWORD}\n")
        (self.folder / "pgpass").chmod(0o600)
        if os.getuid() == 0:
            for path in (self.folder, self.folder / "password", self.folder / "log"):
                shutil.chown(path, OWNER)
        self.call("initdb", "-D", "data", "-U", "isochron", "--auth=scram-sha-256", "--pwfile=password", "-E", "UTF8")

    def start(self) -> None:
        options = f"-h 127.0.0.1 -p {self.port} -c unix_socket_directories= -c shared_buffers=16MB"
        self.call("pg_ctl", "-D", "data", "-l", "log", "-w", "-o", options, "start")

    def kill(self) -> None:
        """End the server and its children without a last word."""
        leader = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{leader}/task/{leader}/children").read_text().split()
        for process in (leader, *map(int, children)):
            os.kill(process, signal.SIGKILL)
        while any(Path(f"/proc/{process}").exists() and not _is_zombie(process) for process in (leader, *children)):
            os.sched_yield()
        (self.folder / "data" / "postmaster.pid").unlink()

    def rows(self, query: str) -> list[Any]:
        with psycopg.connect(self.url) as connection:
            return list(connection.execute(query.encode()).fetchall())

    def do(self, statement: str) -> None:
        with psycopg.connect(self.url) as connection:
            connection.execute(statement.encode())


def _is_zombie(process: int | str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="iso-pg-", dir="/tmp"))  # another user reads nothing in tmp_path
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        server = Server(folder, free.getsockname()[1])
    server.make()
    server.start()
    yield server
    server.call("pg_ctl", "-D", "data", "-m", "immediate", "stop")
    shutil.rmtree(folder)


@pytest.fixture
def server(running: Server) -> Server:
    running.do("DROP TABLE IF EXISTS isochron_results, isochron_comparisons, isochron_answers")
    return running


COUNTS = "SELECT (SELECT count(*) FROM isochron_results), (SELECT count(*) FROM isochron_comparisons)"


def test_tables_are_made_and_rows_have_what_the_records_say(server: Server) -> None:
    sent = batch(
        RUN, result(RUN, 8, reason="a'b\N{MICRO SIGN}"), result(RUN, 64, None), comparison(RUN, 8), answer(RUN)
    )
    PostgresReceiver(server.url).accept(sent)
    for kind, table in TABLES.items():
        records = {record["key"]: record for record in sent.of_kind(kind)}
        found = server.rows(f"SELECT row_to_json(t) FROM {table.name} t")
        assert len(found) == len(records) > 0
        for (row,) in found:
            record = records[row["key"]]
            assert row.pop("record") == record
            assert row.pop("created_at").startswith("2026-05-04T")
            assert row == {name: record.get(name) for name in row}
    assert server.rows("SELECT extract(epoch FROM created_at)::bigint FROM isochron_answers") == [(1777881600,)]


def test_the_same_run_again_replaces_its_rows_and_no_other_ones(server: Server) -> None:
    receiver = PostgresReceiver(server.url)
    receiver.accept(batch(RUN))
    receiver.accept(batch(NEXT))
    receiver.accept(batch(RUN, result(RUN, 8, 7.5)))
    values = server.rows("SELECT run_id, bytes, median_us FROM isochron_results ORDER BY key")
    assert values == [(RUN, 8, 7.5), (NEXT, 512, 2.5), (NEXT, 64, 2.5), (NEXT, 8, 2.5)]
    assert server.rows("SELECT run_id FROM isochron_comparisons") == [(NEXT,)]
    receiver.accept(batch(RUN, {**result(RUN, 8), "stack": 5}))  # as CSV has a stack of that name
    assert server.rows(f"SELECT stack FROM isochron_results WHERE run_id = '{RUN}'") == [("5",)]


def test_a_server_that_is_killed_in_a_transaction_and_restored_has_everything_once(
    server: Server, tmp_path: Path
) -> None:
    receiver = PostgresReceiver(server.url)
    receiver.accept(batch(RUN))
    spool = Spool.of(tmp_path, server.url)
    fresh = [batch(RUN, *(result(RUN, size, 4.5) for size in (8, 64, 512)), comparison(RUN, 8)), batch(NEXT)]
    blocker = psycopg.connect(server.url)
    blocker.execute("LOCK TABLE isochron_comparisons")  # after the results are stored and before they are committed
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'isochron'"

    def kill() -> None:
        while server.rows(waiting) != [(1,)]:
            os.sched_yield()
        server.kill()

    killer = Thread(target=kill)
    killer.start()
    with spool.locked():
        for each in fresh:
            spool.keep(each)
        outcome = deliver(spool, receiver, unsaid, at_once)
        killer.join()
        assert outcome.delivered == []
        assert outcome.kept == fresh
        server.start()
        assert server.rows("SELECT DISTINCT run_id, median_us FROM isochron_results") == [(RUN, 2.5)]
        pauses: list[float] = []

        def restored(seconds: float) -> None:
            pauses.append(seconds)
            server.start()

        server.kill()
        outcome = deliver(spool, receiver, unsaid, restored)  # the server comes back while it is waited for
    assert (outcome.delivered, pauses) == (fresh, [1])
    assert server.rows(COUNTS) == [(6, 2)]
    assert server.rows("SELECT run_id, sum(median_us) FROM isochron_results GROUP BY 1 ORDER BY 1") == [
        (RUN, 13.5), (NEXT, 7.5),
    ]  # fmt: skip
    assert spool.batches() == []


def test_a_transaction_of_which_nobody_heard_is_not_doubled(server: Server, tmp_path: Path) -> None:
    class Deaf(PostgresReceiver):
        heard = False

        def accept(self, batch: Any) -> None:
            super().accept(batch)
            if not Deaf.heard:
                Deaf.heard = True
                raise UnreachableError("does not answer")

    spool = Spool.of(tmp_path, server.url)
    with spool.locked():
        spool.keep(batch())
        assert len(deliver(spool, Deaf(server.url), unsaid, at_once).delivered) == 1
    assert server.rows(COUNTS) == [(3, 1)]


def test_a_role_that_may_only_write_rows_is_enough(server: Server) -> None:
    PostgresReceiver(server.url).accept(batch(RUN))
    server.do("DROP ROLE IF EXISTS writer")
    server.do(f"CREATE ROLE writer LOGIN PASSWORD '{PASSWORD}'")
    passfile = server.folder / "pgpass"
    passfile.write_text(f"*:*:*:*:{PASSWORD}\n")
    writer = PostgresReceiver(server.url.replace("isochron@", "writer@"))
    with pytest.raises(RefusedError, match=r"does not store it \(permission denied for table isochron_results"):
        writer.accept(batch(NEXT))
    for table in TABLES.values():
        server.do(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table.name} TO writer")
    writer.accept(batch(NEXT))
    assert server.rows(COUNTS) == [(6, 2)]
    for table in TABLES.values():
        server.do(f"DROP TABLE {table.name}")
    with pytest.raises(RefusedError, match="permission denied for schema public"):
        writer.accept(batch(NEXT))
    server.do("DROP ROLE writer")


def test_the_password_may_be_in_the_environment_and_is_in_no_message(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver = PostgresReceiver(server.url.replace(f"{server.folder}/pgpass", "/dev/null"))
    with pytest.raises(UnreachableError, match="no password supplied"):
        receiver.accept(batch())
    monkeypatch.setenv("PGPASSWORD", "s3same-shut")
    with pytest.raises(UnreachableError, match="password authentication failed") as failed:
        receiver.accept(batch())
    assert "s3same" not in str(failed.value)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    receiver.accept(batch())
    assert server.rows(COUNTS) == [(3, 1)]


def test_the_dashboard_shows_the_rows(server: Server) -> None:
    PostgresReceiver(server.url).accept(batch(RUN))
    weak = result(NEXT, 64, verdict="unstable", reliable=False, reason="it varies")
    PostgresReceiver(server.url).accept(batch(NEXT, result(NEXT, 8, 7.5), weak, comparison(NEXT, 8), answer(NEXT)))
    server.do(f"UPDATE isochron_results SET created_at = '2026-05-05T08:00:00Z' WHERE run_id = '{NEXT}'")
    variables = [variable for variable in document("postgresql")["templating"]["list"] if "definition" in variable]
    shown = {variable["name"]: server.rows(filled(variable["query"])) for variable in variables}
    assert shown == {
        "campaign": [("nightly",)], "system": [("alpha",)], "stack": [("mpich-5.0",)], "operation": [("bcast",)],
        "bytes": [(8,), (64,), (512,)], "point": [("4/2/packed",)],
    }  # fmt: skip
    answers, times, ratios, slower, weak_ones, verdicts = (
        [row[1:] for row in server.rows(query)] for query in queries("postgresql", "rawSql").values()
    )
    assert times == [("mpich-5.0", 2.5, 2.25, None), ("mpich-5.0", 7.5, 2.25, None)]
    assert ratios == [("mpich-5.0 / mpich-4.3", 1.25, 1.125, 1.5)] * 2
    assert slower == [("mpich-4.3", "bcast", 8, 4, 2, "packed", 1.25, 1.125, 1.5)]
    assert weak_ones == [("bcast", 64, 4, 2, "packed", 2.5, "unstable", "it varies")]
    assert verdicts == [("slower", 2)]
    assert sorted(answers) == [
        (run_id, "mpich-4.3", "mpich-5.0", "keep-baseline", 1.0625, 1, 1, 0, 2) for run_id in (RUN, NEXT)
    ]
