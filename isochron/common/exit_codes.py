# SPDX-License-Identifier: BSD-3-Clause
"""Every exit code of the project, by name: of the commands, of the engine, and of a launch in the job script."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of `isochron` and of the commands of the rules; 128 + N if signal N ended the call."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    SLOWER = 3
    OVER_BUDGET = 4
    UNDECIDED = 5
    INTERRUPTED = 130


class EngineExit(IntEnum):
    """Exit codes of the engine (`enum fault_code` in fault.h; a test compares)."""

    MEASURED = 0
    USAGE = 2
    ENVIRONMENT = 3
    CHECK = 4
    SYSTEM = 5
    TURN = 6


class LaunchExit(IntEnum):
    """Exit codes of a launch in which the engine did not exit by itself: of the job script, `timeout`, the shell."""

    CHANGED_IMAGE = 95
    LACKING_HOST = 96
    CHANGED_ENGINE = 97
    LACKING_MEMORY = 98
    CHANGED_LIBRARY = 99
    OUT_OF_TIME = 124
    NO_LAUNCHER = 127
    KILLED = 137


#: Meaning of the exit codes of a launch.
LAUNCH_EXITS: dict[int, str] = {
    EngineExit.USAGE: "the engine refused its options",
    EngineExit.ENVIRONMENT: "the environment cannot be measured",
    EngineExit.CHECK: "the data check failed",
    EngineExit.SYSTEM: "an MPI call failed",
    EngineExit.TURN: "the launch lost its turn",
    LaunchExit.CHANGED_IMAGE: "the image of the stack is not the one in which the engine was built",
    LaunchExit.LACKING_HOST: "a requested node is not in the allocation",
    LaunchExit.CHANGED_ENGINE: "the engine has changed since it was built",
    LaunchExit.CHANGED_LIBRARY: "the MPI library is not the one with which the engine was built",
    LaunchExit.LACKING_MEMORY: "a session needs more memory than is free",
    LaunchExit.OUT_OF_TIME: "not finished within limits.launch_seconds",
    LaunchExit.NO_LAUNCHER: "the launcher or a command of the job script was not found; check PATH",
    LaunchExit.KILLED: "killed",
}
