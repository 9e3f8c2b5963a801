# SPDX-License-Identifier: BSD-3-Clause
"""The commands in the order of the help: the module of each, loaded when it is called, and what it does."""

VERBS = {
    "plan": ("plan", "print the points, blocks, launches, time and node hours of a campaign"),
    "rehearse": (
        "rehearse",
        "run the plan of a campaign on a simulated machine, and estimate what the real campaign will cost",
    ),
    "run": ("run", "measure a campaign and write its report; called again, continue where it stopped"),
    "status": ("results.status", "print the state of runs"),
    "report": ("results.report", "regenerate tables, figures and report from the raw files"),
    "export": ("results.export", "write the results of a run in another format"),
    "compare": ("results.compare", "compare two runs result by result; exit with 3 if anything is slower"),
    "tune": (
        "tune",
        "find the algorithms that beat a library's own choice, and write the rules that are proven in force",
    ),
    "upgrade": (
        "upgrade",
        "screen all operations, sizes and kinds of data for what a new version of a library changes, and "
        "measure again what may have changed",
    ),
    "explain": (
        "results.explain",
        "find the settings by which two versions of a library differ: set those whose defaults changed back, "
        "and measure what that gives back",
    ),
    "advise": (
        "results.advise",
        "try the settings that explain the losses of a new version, in fresh blocks over all that was "
        "measured, and write those that bring no other loss",
    ),
    "bisect": ("results.bisect", "find the version of a library that brought the difference of two others"),
    "cliffs": ("cliffs", "find the size, or the number of processes, at which the time of an operation jumps"),
    "reproduce": (
        "results.reproduce",
        "write a finding as a program in plain MPI, with the commands that show it and a report to the "
        "library's tracker",
    ),
    "history": ("results.history", "print what has changed over all complete runs of a campaign"),
    "publish": ("results.publish", "write a static site over all campaigns and runs"),
    "push": ("results.push", "send the results of a finished run to a system of the site"),
    "published": ("published", "print published numbers that come with Isochron"),
    "import": ("results.import_", "import output files of other benchmarks, for comparison with runs"),
    "profile": ("profile", "count the MPI calls of a program, by operation, size and processes"),
    "certify": (
        "certify",
        "measure how often verdicts are wrong on this machine: stacks are compared with themselves, with "
        "some operations slowed by a known factor",
    ),
    "checks": ("checks", "print the file of the checks for a site's own ReFrame"),
    "doctor": (
        "doctor",
        "report what on this machine may distort a measurement, or what works at a site and what to write where",
    ),
    "stacks": ("stacks", "list the stacks that a campaign can name here"),
    "schema": ("schema", "print the JSON schema of a file"),
    "completion": ("completion", "print a script that lets a shell complete these words"),
}
