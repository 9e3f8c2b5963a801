# SPDX-License-Identifier: BSD-3-Clause
"""Output to the terminal: plain text without control sequences, by streams whose reader may go away."""

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any, TextIO, cast

from rich.console import Console

from isochron.common.files import FileError
from isochron.common.text import printable

#: Errors of a stream whose reader has gone: a pipe, a connection, a terminal.
GONE = (errno.EPIPE, errno.ECONNRESET, errno.EIO)


class Lasting:
    """A stream whose reader may go away: text written afterwards is discarded without an error.

    A campaign of hours must not end because of `isochron run … | head`, because a connection was lost, or because the
    disk of its log is full. `lost`: the error if text could not be written for another reason.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._gone = False
        self.lost: OSError | None = None

    def write(self, text: str) -> int:
        """Write `text`; characters that the stream's encoding lacks are written as `?`."""
        encoding = self._stream.encoding or "utf-8"
        self._try(self._stream.write, text.encode(encoding, "replace").decode(encoding))
        return len(text)

    def flush(self) -> None:
        """Flush the stream unless its reader has gone."""
        self._try(self._stream.flush)

    def _try(self, call: Any, *args: str) -> None:
        if self._gone:
            return
        try:
            call(*args)
        except OSError as error:
            self._gone = True
            self.lost = None if error.errno in GONE else error
            with suppress(OSError, ValueError):  # the interpreter flushes its streams when it exits
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def lasting_output() -> Iterator[None]:
    """Replace the output stream by `Lasting` in the context. Raises OSError at its end if text was lost."""
    output = Lasting(sys.stdout)
    try:
        with redirect_stdout(cast(TextIO, output)):
            yield
    except SystemExit as end:  # argparse exits like this after it has printed help
        output.flush()
        if end.code or output.lost is None:
            raise
    output.flush()
    if output.lost is not None:
        raise OSError(output.lost.errno, output.lost.strerror, "standard output")


class Terminal(Console):
    """A console without markup, and without wrapping of long lines unless `folds`."""

    def __init__(self, *, folds: bool = False) -> None:
        stream = cast(TextIO, Lasting(sys.stdout))
        super().__init__(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=not folds)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print like `rich.console.Console.print`, without control characters."""
        super().print(*(printable(item) if isinstance(item, str) else item for item in objects), **options)


def refuse_lost_letters(args: Sequence[str]) -> None:
    """Raise FileError if a path is not ASCII and the locale's encoding is not UTF-8, which all files of a run use."""
    encoding = sys.getfilesystemencoding()
    if encoding == "utf-8":
        return
    paths = [os.getcwd(), *(os.environ.get(name, "") for name in ("HOME", "XDG_CACHE_HOME")), *args]  # noqa: PTH109
    wrong = next((path for path in paths if not path.isascii()), None)
    if wrong is not None:
        raise FileError(
            f"{wrong}: not ASCII, and the locale's encoding is {encoding}; set LC_ALL=C.UTF-8 "
            "(or PYTHONUTF8=1), or choose an ASCII path"
        )


def complain(problem: object) -> None:
    """Print `isochron: …` to the error stream."""
    print(f"isochron: {printable(str(problem))}", file=Lasting(sys.stderr))
