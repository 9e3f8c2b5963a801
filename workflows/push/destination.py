# SPDX-License-Identifier: BSD-3-Clause
"""The address of a receiver: its scheme says what is sent there."""

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, urlsplit

from isochron.workflows.push.batch import Receiver
from isochron.workflows.push.over_http import AUTHORIZATION, JsonReceiver
from isochron.workflows.push.postgresql import PostgresReceiver
from isochron.workflows.push.prometheus import FILE, MetricsFile, MetricsReceiver


@dataclass(frozen=True)
class Kind:
    """A kind of receivers: an example of an address, where a password belongs, and how to make one."""

    example: str
    password: str
    make: Callable[[str], Receiver]
    needs_host: bool = True


_JSON = Kind("https://HOST/PATH", f"the value of the header Authorization in {AUTHORIZATION}", JsonReceiver)

_POSTGRESQL = Kind("postgresql://USER@HOST/DATABASE", "~/.pgpass or PGPASSWORD", PostgresReceiver, needs_host=False)
_METRICS = Kind("prometheus+https://HOST/PATH", _JSON.password, MetricsReceiver)
_FILE = Kind(FILE, "nothing: a file has none", MetricsFile, needs_host=False)

#: By scheme.
KINDS = {
    "https": _JSON,
    "http": _JSON,
    "prometheus+https": _METRICS,
    "prometheus+http": _METRICS,
    "file": _FILE,
    "postgresql": _POSTGRESQL,
    "postgres": _POSTGRESQL,
}

#: Names in the query of an address whose values are secrets.
SECRET = re.compile(r"pass(word|wd)?|sslpassword|token|secret|api_?key|auth(orization)?", re.IGNORECASE)


@dataclass(frozen=True)
class Destination:
    """The address of a receiver, without a secret in it."""

    url: str

    @property
    def shown(self) -> str:
        """The address as messages have it: without user and query."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def receiver(self) -> Receiver:
        """Return what delivers to it."""
        return KINDS[urlsplit(self.url).scheme].make(self.url)


def destination(text: str) -> Destination:
    """Parse the value of --to. Raises ArgumentTypeError, whose message does not repeat the address: see `SECRET`."""
    try:
        parts = urlsplit(text)
        known = parts.port is None or parts.port > 0
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"is not an address ({error})") from None
    kind = KINDS.get(parts.scheme)
    if kind is None:
        examples = ", ".join(dict.fromkeys(known_kind.example for known_kind in KINDS.values()))
        raise argparse.ArgumentTypeError(f"begins with none of the schemes that are known; give {examples}")
    if _has_secret(parts):
        raise argparse.ArgumentTypeError(
            f"has a password, which the process list shows to everybody: put it into {kind.password}"
        )
    if not known or not re.fullmatch(r"[!-~]+", text) or parts.fragment or (kind.needs_host and not parts.hostname):
        raise argparse.ArgumentTypeError(f"is not an address; give one like {kind.example}")
    return Destination(text)


def _has_secret(parts: SplitResult) -> bool:
    """Return True if the address has a password."""
    query = parse_qsl(parts.query)
    return parts.password is not None or any(SECRET.fullmatch(name) for name, _ in query)
