# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame with three changes: for file systems that refuse chmod, for clocks that are set, and for short blocks.

usage: python -m isochron.compat.patched_reframe OPTION…     (the options of `reframe`)
"""

from __future__ import annotations

import sys

from isochron.compat.stack_frames import frames_of_callers, module_of_frame
from isochron.compat.substitute import chmod_if_permitted, steady_clock, substitute

#: Modules in which ReFrame subtracts two readings of `time.time` to decide how long to wait, or when to cancel a job.
WAITING_MODULES = (
    "reframe.frontend.executors.policies",
    *(f"reframe.core.schedulers.{name}" for name in ("flux", "local", "lsf", "oar", "pbs", "sge", "slurm", "ssh")),
)


def write_scripts_without_chmod() -> None:
    """Let ReFrame write build and job scripts on a file system that refuses chmod.

    Upstream: `reframe/core/shell.py`, `generate_script.__exit__`. A refused chmod fails the test, although such file
    systems usually let every file be executed; if one does not, the job fails and says so.
    Verified with ReFrame 4.8.0, 4.8.4, 4.9.3 and 4.10.4. Superseded by docs/upstream/reframe-script-modes.patch.
    """
    substitute("reframe.core.shell", "os", chmod=chmod_if_permitted)


def wait_by_steady_clock() -> None:
    """Let ReFrame wait for jobs by a clock that nobody sets.

    Upstream: `_PollController` in `reframe/frontend/executors/policies.py`, and the checks of time limits and of
    `max_pending_time` in `reframe/core/schedulers/`. If the clock is set back by an hour, the next poll of a job comes
    an hour late (since 4.9); if it is set forward, local jobs are ended as timed out and queued jobs are cancelled.
    Verified with ReFrame 4.8.0, 4.8.4, 4.9.3 and 4.10.4. Superseded by docs/upstream/reframe-monotonic-waits.patch.
    """
    clock = steady_clock()
    for module in WAITING_MODULES:
        substitute(module, "time", time=clock)


def warn_without_reading_sources() -> None:
    """Let ReFrame decide where a deprecated name is used without reading the sources of all callers.

    Upstream: `reframe/core/warnings.py`, `user_deprecation_warning`. It reads and searches the source file of every
    caller, although only the module's name is used, and the logger does it for each message of a test by reading the
    deprecated names of the test itself: a fifth of the processor time of a call that runs a block of seconds.
    Verified with ReFrame 4.8.0, 4.8.4, 4.9.3 and 4.10.4. Superseded by docs/upstream/reframe-warning-frames.patch.
    """
    substitute("reframe.core.warnings", "inspect", stack=frames_of_callers, getmodule=module_of_frame)


def main() -> int | None:
    """Run ReFrame's command line; returns its exit code."""
    write_scripts_without_chmod()
    wait_by_steady_clock()
    warn_without_reading_sources()
    from reframe.frontend.cli import main as reframe_main

    code: int | None = reframe_main()
    return code


if __name__ == "__main__":
    sys.exit(main())
