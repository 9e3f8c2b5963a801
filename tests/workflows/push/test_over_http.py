# SPDX-License-Identifier: BSD-3-Clause
"""JSON lines over HTTP: what is sent, what each answer means; a receiver that is killed and restored."""

from __future__ import annotations

import hashlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from isochron.workflows.push.batch import RefusedError, UnreachableError
from isochron.workflows.push.deliver import deliver
from isochron.workflows.push.over_http import AUTHORIZATION, JsonReceiver
from isochron.workflows.push.spool import Spool
from tests.workflows.push.receiver import repeated, stored
from tests.workflows.push.samples import NEXT, RUN, at_once, batch, result, unsaid

ROOT = Path(__file__).parents[3]


class Server(ThreadingHTTPServer):
    """A server that answers each request with `status` and `body`, and remembers what it was sent."""

    status, body = 200, b""
    got: list[tuple[str, str, Message, bytes]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/push"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.command, self.path, self.headers, content))
        if self.server.status == 0:
            return  # the connection is closed without an answer
        self.send_response(self.server.status)
        self.send_header("Location", "http://127.0.0.1:1/elsewhere")
        self.end_headers()
        self.wfile.write(self.server.body)

    do_PUT = do_POST

    def log_message(self, *_: object) -> None:
        """Be silent."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv(AUTHORIZATION, raising=False)
    with Server(("127.0.0.1", 0), Handler) as server:
        server.got = []
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_lines_are_sent_with_their_type_and_key(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(AUTHORIZATION, "Bearer xyz")
    JsonReceiver(server.url).accept(batch())
    ((method, path, headers, content),) = server.got
    assert (method, path, content) == ("POST", "/push", batch().content)
    assert headers["Content-Type"] == "application/x-ndjson"
    assert headers["Idempotency-Key"] == f'"{hashlib.sha256(content).hexdigest()}"'
    assert headers["Authorization"] == "Bearer xyz"


def test_each_part_has_its_own_key(server: Server) -> None:
    many = batch(RUN, *(result(RUN, size, reason="x" * 1000) for size in range(1500)))
    JsonReceiver(server.url).accept(many)
    JsonReceiver(server.url).accept(many)
    keys = [headers["Idempotency-Key"] for _, _, headers, _ in server.got]
    assert b"".join(content for *_, content in server.got) == many.content * 2
    assert len(keys) == 2 * len(set(keys)) > 2
    assert all("Authorization" not in headers for _, _, headers, _ in server.got)


@pytest.mark.parametrize("status", [0, 408, 409, 425, 429, 500, 502, 503, 504])
def test_it_is_tried_again_later(server: Server, status: int) -> None:
    server.status = status
    with pytest.raises(UnreachableError, match=f"answered {status}" if status else "does not answer"):
        JsonReceiver(server.url).accept(batch())


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (301, "answered 301, a redirection: give --to the address that it leads to"),
        (307, "answered 307, a redirection"),
        (400, "answered 400 Bad Request: no such column"),
        (401, f"put the value of the header Authorization into {AUTHORIZATION}"),
        (404, "answered 404"),
        (413, "answered 413"),
    ],
)
def test_it_is_refused(server: Server, status: int, said: str) -> None:
    server.status, server.body = status, b"no such column\nmore"
    with pytest.raises(RefusedError, match=said):
        JsonReceiver(server.url).accept(batch())
    assert len(server.got) == 1


def test_no_message_repeats_the_credential_or_controls_a_terminal(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AUTHORIZATION, "Bearer xyz")
    server.status, server.body = 400, b"\x1b[31mnot for Bearer xyz"
    with pytest.raises(RefusedError) as refused:
        JsonReceiver(server.url).accept(batch())
    assert "not for …" in str(refused.value)
    assert "\x1b" not in str(refused.value)
    assert "xyz" not in str(refused.value)


@pytest.mark.parametrize("value", ["Bearer x\ny", "Bearer \N{GREEK SMALL LETTER ALPHA}"])
def test_a_credential_that_is_no_header_is_refused(server: Server, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(AUTHORIZATION, value)
    with pytest.raises(RefusedError, match=f"{AUTHORIZATION} is no value of a header") as refused:
        JsonReceiver(server.url).accept(batch())
    assert value not in str(refused.value)
    assert server.got == []


@contextmanager
def receiving(file: Path, port: int = 0, *options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A receiver in its own process, and its port."""
    command = [sys.executable, "-m", "tests.workflows.push.receiver", str(file), str(port), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
        try:
            assert child.stdout
            yield child, int(child.stdout.readline())
        finally:
            child.kill()


@pytest.mark.process
def test_a_receiver_that_is_killed_and_restored_has_everything_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    file = tmp_path / "records.sqlite"
    first = batch(RUN, *(result(RUN, size, reason="x" * 1000) for size in range(2500)))  # three parts
    second = batch(NEXT)
    with receiving(file, 0, "die-after", "2") as (child, port):
        url = f"http://127.0.0.1:{port}/"
        spool = Spool.of(tmp_path, url)
        with spool.locked():
            spool.keep(first)
            outcome = deliver(spool, JsonReceiver(url), unsaid, at_once)
        assert child.wait() == 1
    assert (outcome.delivered, outcome.kept) == ([], [first])
    assert 0 < len(stored(str(file))) < len(first.records)
    with spool.locked():  # it is still away, and a night has passed
        spool.keep(second)
        assert len(deliver(spool, JsonReceiver(url), unsaid, at_once).kept) == 2
    with receiving(file, port) as (child, _), spool.locked():
        outcome = deliver(spool, JsonReceiver(url), unsaid, at_once)
        child.send_signal(signal.SIGKILL)
    assert [each.run_id for each in outcome.delivered] == [RUN, NEXT]
    lines = (first.content + second.content).decode().splitlines()
    assert sorted(stored(str(file)).values()) == sorted(lines)
    assert repeated(str(file)) == 2  # what the dead one had stored, one part without telling
    assert spool.batches() == []
