# SPDX-License-Identifier: BSD-3-Clause
"""Files with rules that a site can use: of Open MPI by size and processes, of other libraries variables to export.

Open MPI reads a rule for a number of processes for all larger ones, too, and one for a size for all larger sizes
(coll_tuned_dynamic_rules.c of 4.1 and 5.0); the first entry counts below it. Algorithm 0 is the library's own choice,
so every range has such an entry before and after it.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from isochron.common.files import FileError, write_atomically
from isochron.schemas.run.tuning import Rule
from isochron.workflows.explanation.library_settings import Setting
from isochron.workflows.explanation.setting_files import write_variables

#: Settings of Open MPI whose rules have sizes begin so, and how the file and its use are set.
TUNED = "coll_tuned_"
USE, FILE = "coll_tuned_use_dynamic_rules", "coll_tuned_dynamic_rules_filename"
#: Names of the files.
RULES, PARAMETERS = "openmpi-rules.conf", "openmpi-mca-params.conf"

#: Numbers of the collectives in Open MPI (COLLTYPE of coll_base_functions.h), and whether the size of a rule is that of
#: all processes together: it then is the block times the processes.
_COLLECTIVES: dict[str, tuple[int, bool]] = {
    "allgather": (0, True),
    "allreduce": (2, False),
    "alltoall": (3, True),
    "barrier": (6, False),
    "bcast": (7, False),
    "gather": (9, True),
    "reduce": (11, False),
    "reduce-scatter": (12, True),
    "reduce-scatter-block": (13, True),
    "scatter": (15, True),
}
#: Operations whose trees have the fanout of a chain when an algorithm is forced (coll_tuned_decision_dynamic.c).
_CHAINS = ("bcast", "reduce", "reduce-scatter", "reduce-scatter-block", "scatter")


def has_sizes(setting: str, operation: str) -> bool:
    """Return True if a rule of this setting can be for a range of sizes."""
    return setting.startswith(TUNED) and operation in _COLLECTIVES


def openmpi_rules(rules: Sequence[Rule], settings: Mapping[str, Setting]) -> str:
    """Return the file of dynamic rules. `settings`: of the library, for fanouts and segments as in a forced choice."""
    operations = dict.fromkeys(rule.operation for rule in rules)
    lines = [f"{len(operations)} # operations"]
    for operation in operations:
        number, _ = _COLLECTIVES[operation]
        counts = sorted({rule.processes for rule in rules if rule.operation == operation})
        tables: dict[int, list[Rule]] = {0: []}
        for count in counts:
            tables[count] = [rule for rule in rules if (rule.operation, rule.processes) == (operation, count)]
            tables.setdefault(count + 1, [])
        lines += [f"{number} # {operation}", f"{len(tables)} # numbers of processes"]
        for count in sorted(tables):
            entries = list(_entries(tables[count], settings))
            lines += [f"{count} # processes", f"{len(entries)} # sizes", *entries]
    return "\n".join(lines) + "\n"


def _entries(rules: Iterable[Rule], settings: Mapping[str, Setting]) -> Iterable[str]:
    """Yield a line for each size from which on another algorithm counts: size, algorithm, fanout, segment."""
    marks: dict[int, str] = {0: "0 0 0"}
    for rule in sorted(rules, key=lambda one: one.low):
        factor = rule.processes if _COLLECTIVES[rule.operation][1] else 1
        fanout = "chain_fanout" if rule.operation in _CHAINS else "tree_fanout"
        extra = (_value(settings, f"{rule.setting}_{name}") for name in (fanout, "segmentsize"))
        marks[rule.low * factor] = f"{rule.number} {' '.join(extra)} # {rule.algorithm}"
        marks[rule.high * factor + 1] = "0 0 0"
    yield from (f"{size} {marks[size]}" for size in sorted(marks))


def _value(settings: Mapping[str, Setting], name: str) -> str:
    return settings[name].value if name in settings else "0"


def openmpi_numbers(text: str) -> list[int]:
    """Return what Open MPI reads of a file of dynamic rules: its numbers, without comments."""
    return [int(word) for line in text.splitlines() for word in line.partition("#")[0].split()]


def algorithm_at(text: str, operation: str, size: int, processes: int) -> int:
    """Return the algorithm that a file of dynamic rules gives a case, found as Open MPI does; 0: its own choice.

    Raises FileError if the file cannot be read so.
    """
    numbers = iter(openmpi_numbers(text))
    collective, whole = _COLLECTIVES[operation]
    total = size * processes if whole else size
    algorithm = 0
    try:
        for _ in range(next(numbers)):
            wanted = next(numbers) == collective
            best = None
            for at in range(next(numbers)):
                count = next(numbers)
                table = [tuple(next(numbers) for _ in range(4)) for _ in range(next(numbers))]
                if at == 0 or count <= processes:
                    best = table
            if wanted and best:
                algorithm = [entry[1] for place, entry in enumerate(best) if place == 0 or entry[0] <= total][-1]
    except (StopIteration, RuntimeError) as error:
        raise FileError(f"{RULES}: ends too early") from error
    return algorithm


def write_files(
    folder: Path, rules: Sequence[Rule], needs: Mapping[str, str], settings: Mapping[str, Setting]
) -> tuple[list[Path], dict[str, str]]:
    """Write the files of some rules, and return them with the variables that put them in force.

    `needs`: variables without which a forced algorithm has no effect.
    """
    folder.mkdir(parents=True, exist_ok=True)
    by_size = [rule for rule in rules if rule.processes]
    always = [rule for rule in rules if not rule.processes]
    files: list[Path] = []
    variables: dict[str, str] = {}
    if by_size:
        path = folder / RULES
        write_atomically(path, openmpi_rules(by_size, settings))
        lines = {USE: "1", FILE: str(path)}
        write_atomically(folder / PARAMETERS, "".join(f"{name} = {value}\n" for name, value in lines.items()))
        files += [path, folder / PARAMETERS]
        variables |= {f"OMPI_MCA_{name}": value for name, value in lines.items()}
    if always:
        forced = {**needs, **{rule.variable: rule.algorithm for rule in always}}
        files += write_variables(folder, forced).values()
        variables |= forced
    return files, variables
