# SPDX-License-Identifier: BSD-3-Clause
"""Requests over HTTP, and records as newline-delimited JSON.

Each part of a batch is a POST with the hash of its content as `Idempotency-Key` (IETF draft
httpapi-idempotency-key-header-07: a string in quotation marks): a part that is sent again has the same key.
"""

import hashlib
import http.client
import os
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass
from importlib.metadata import version

from isochron.common.text import printable
from isochron.workflows.push.batch import Batch, RefusedError, UnreachableError

#: Value of the header `Authorization`: not an option, because the process list shows those to everybody.
AUTHORIZATION = "ISOCHRON_PUSH_AUTHORIZATION"
#: Seconds to wait for a connection, and for each answer.
TIMEOUT = 30
#: Statuses after which the same request may be accepted later; 409 of the draft: the first request is still at work.
LATER = {408, 409, 425, 429}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected POST becomes a GET without content, and a credential would go to another host."""

    def redirect_request(self, *_: object) -> None:
        """Follow none: the answer is an error."""


@dataclass(frozen=True)
class JsonReceiver:
    """A service that takes JSON lines by POST."""

    url: str

    def accept(self, batch: Batch) -> None:
        """Send the parts one after another."""
        for part in batch.parts():
            send("POST", self.url, part, "application/x-ndjson")


def send(method: str, url: str, content: bytes, content_type: str) -> None:
    """Return when the receiver has answered with a status of success. Raises UnreachableError or RefusedError."""
    secret = os.environ.get(AUTHORIZATION, "")
    headers = {
        "Content-Type": content_type,
        "Idempotency-Key": f'"{hashlib.sha256(content).hexdigest()}"',
        "User-Agent": f"isochron/{version('isochron')}",
        **({"Authorization": secret} if secret else {}),
    }
    try:
        request = urllib.request.Request(url, content, headers, method=method)
        request_answer = urllib.request.build_opener(_NoRedirects).open
        with request_answer(request, timeout=TIMEOUT) as answer:
            answer.read(1)
    except urllib.error.HTTPError as error:
        raise _judged(error, secret) from None
    except ssl.SSLCertVerificationError as error:
        raise RefusedError(f"its certificate is not trusted ({error.verify_message})") from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            raise RefusedError(f"its certificate is not trusted ({error.reason.verify_message})") from None
        raise UnreachableError(f"does not answer ({_words(error.reason)})") from None
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(f"does not answer ({_words(error)})") from None
    except ValueError:  # of http.client, whose message repeats the header
        why = "it has a line break or a letter beyond Latin-1"
        raise RefusedError(f"{AUTHORIZATION} is no value of a header: {why}") from None


def _judged(error: urllib.error.HTTPError, secret: str) -> Exception:
    """Return what an answer without success means."""
    with error:
        if 300 <= error.code < 400:
            return RefusedError(f"answered {error.code}, a redirection: give --to the address that it leads to")
        try:
            lines = error.read(2000).decode(errors="replace").strip().splitlines()
        except (OSError, http.client.HTTPException):
            lines = []
    message = printable((lines or [""])[0][:200])
    message = message.replace(secret, "…") if secret else message
    words = f"answered {error.code} {error.reason}" + (f": {message}" if message else "")
    if error.code in (401, 403):
        words += f"; put the value of the header Authorization into {AUTHORIZATION}"
    return UnreachableError(words) if error.code in LATER or error.code >= 500 else RefusedError(words)


def _words(reason: object) -> str:
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    return str(reason) or type(reason).__name__
