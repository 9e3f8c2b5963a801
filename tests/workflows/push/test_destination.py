# SPDX-License-Identifier: BSD-3-Clause
"""Addresses of receivers: what is sent where, and what each address must not have (others: tests/cli/test_push.py)."""

from __future__ import annotations

import argparse
import sys

import pytest

from isochron.common.files import FileError
from isochron.workflows.push.destination import destination
from isochron.workflows.push.over_http import JsonReceiver
from isochron.workflows.push.postgresql import PostgresReceiver
from isochron.workflows.push.prometheus import MetricsFile, MetricsReceiver


@pytest.mark.parametrize(
    ("url", "kind", "shown"),
    [
        ("http://a@host:1/p?q=r", JsonReceiver, "http://host:1/p"),
        ("prometheus+https://host/metrics/job/x", MetricsReceiver, "prometheus+https://host/metrics/job/x"),
        ("file:///tmp/a%20b.prom", MetricsFile, "file:///tmp/a%20b.prom"),
        ("postgresql:///site", PostgresReceiver, "postgresql:///site"),
        ("postgres://a@host/db?passfile=/x", PostgresReceiver, "postgres://host/db"),
    ],
)
def test_the_scheme_says_what_is_sent(url: str, kind: type, shown: str) -> None:
    assert destination(url).shown == shown
    assert isinstance(destination(url).receiver(), kind)


@pytest.mark.parametrize(
    "url", ["postgresql://a:b@host/db", "postgresql://a@host/db?password=b", "postgres://host/?sslpassword=b"]
)
def test_an_address_with_a_password_is_refused(url: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"has a password, .* put it into ~/\.pgpass or PGPASSWORD"):
        destination(url)


@pytest.mark.parametrize("url", ["file:///tmp/a.txt", "file://tmp/a.prom", "file:a", "file:///"])
def test_a_file_that_node_exporter_would_not_read_is_refused(url: str) -> None:
    with pytest.raises(FileError, match=r"give an absolute one that ends in \.prom: file:///FOLDER/NAME\.prom"):
        destination(url).receiver()


def test_without_the_library_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(FileError, match=r"pip install 'isochron\[postgresql\]'"):
        PostgresReceiver("postgresql:///site")
