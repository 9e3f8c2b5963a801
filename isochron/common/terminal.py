# SPDX-License-Identifier: BSD-3-Clause
"""What a person sees: text as it is, nothing that a file holds can steer the terminal, and a reader may go away."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any, TextIO, cast

from rich.console import Console

from isochron.common.files import FileError
from isochron.common.text import printable

#: How it shows that the reader has gone: of a pipe, of a connection, of a terminal.
GONE = (errno.EPIPE, errno.ECONNRESET, errno.EIO)


class Lasting:
    """A stream whose reader may go away: what is written afterwards is lost, and that is no error.

    A campaign of hours must not end because of `isochron run … | head`, because a connection was lost, or because the
    disk of its log is full. `lost`: why something could not be written, though somebody wants to read it.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._gone = False
        self.lost: OSError | None = None

    def write(self, text: str) -> int:
        """Write while somebody reads; what the stream's encoding lacks is written as `?`."""
        encoding = self._stream.encoding or "utf-8"
        self._try(self._stream.write, text.encode(encoding, "replace").decode(encoding))
        return len(text)

    def flush(self) -> None:
        """Flush while somebody reads."""
        self._try(self._stream.flush)

    def _try(self, call: Any, *words: str) -> None:
        if self._gone:
            return
        try:
            call(*words)
        except OSError as error:
            self._gone = True
            self.lost = None if error.errno in GONE else error
            with suppress(OSError, ValueError):  # the interpreter flushes its streams at its end, too
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def lasting_output() -> Iterator[None]:
    """Whatever is printed meanwhile is printed to `Lasting`. Raises OSError at the end where something was lost."""
    output = Lasting(sys.stdout)
    try:
        with redirect_stdout(cast(TextIO, output)):
            yield
    except SystemExit as end:  # how argparse ends, after it has printed help
        output.flush()
        if end.code or output.lost is None:
            raise
    output.flush()
    if output.lost is not None:
        raise OSError(output.lost.errno, output.lost.strerror, "what was to be printed")


class Terminal(Console):
    """A console that takes nothing in its texts for markup, and that long lines do not fold."""

    def __init__(self, *, folds: bool = False) -> None:
        stream = cast(TextIO, Lasting(sys.stdout))
        super().__init__(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=not folds)

    def print(self, *objects: Any, **options: Any) -> None:
        """As rich does, without control characters."""
        super().print(*(printable(each) if isinstance(each, str) else each for each in objects), **options)


def refuse_lost_letters(words: Sequence[str]) -> None:
    """Raise FileError where a path has letters that mean others in UTF-8, in which all files of a run are written."""
    encoding = sys.getfilesystemencoding()
    if encoding == "utf-8":
        return
    places = [os.getcwd(), *(os.environ.get(name, "") for name in ("HOME", "XDG_CACHE_HOME")), *words]  # noqa: PTH109
    lost = next((place for place in places if not place.isascii()), None)
    if lost is not None:
        raise FileError(
            f"{lost}: has letters beyond ASCII, and the locale's encoding is {encoding}; set LC_ALL=C.UTF-8 "
            "(or PYTHONUTF8=1), or take a path of plain letters"
        )


def complain(problem: object) -> None:
    """`isochron: …` on the error stream."""
    print(f"isochron: {printable(str(problem))}", file=Lasting(sys.stderr))
