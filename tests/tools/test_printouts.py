# SPDX-License-Identifier: BSD-3-Clause
"""Every number of every printout is kept as it is printed, by a tokenisation that knows nothing of the parsers."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.schemas.engine.contract import OPERATIONS, contract
from isochron.tools.registry import TOOLS, read_printout
from isochron.tools.rows import placed

FOLDER = Path(__file__).parent / "printouts"
#: Beginnings of names whose files are of another tool.
OF = {"pmb": "imb"}
#: Lines without `#` that are no rows: hosts and frame of mpiBench, frame of SKaMPI 5.0.
FRAME = re.compile(r"START mpiBench|END mpiBench|\d+ : \S+$|Message buffers|\s*(begin|end) result|SKaMPI Version")
#: A number that is no part of a word.
TOKEN = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?![\w.])")


def printouts() -> list[tuple[str, Path]]:
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        word = path.name.split("-")[0]
        found.append((OF.get(word, word), path))
    return found


def table_lines(text: str) -> dict[int, str]:
    """Lines with a number that are neither comment nor frame."""
    lines = dict(enumerate(text.splitlines(), start=1))
    return {
        number: line
        for number, line in lines.items()
        if not line.lstrip().startswith("#") and not FRAME.match(line) and TOKEN.search(line)
    }


def test_every_tool_has_printouts() -> None:
    assert {tool for tool, _ in printouts()} == set(TOOLS)
    assert len(printouts()) >= 20


@pytest.mark.parametrize(("tool", "path"), printouts(), ids=lambda each: getattr(each, "name", each))
def test_every_number_of_every_line_is_kept_as_printed(tool: str, path: Path) -> None:
    lines = table_lines(path.read_text())
    rows = {row.line: row for row in read_printout(tool, path).rows}
    assert set(rows) == set(lines)
    for number, line in lines.items():
        kept = [text for _, text in rows[number].cells] + TOKEN.findall(rows[number].note)
        assert Counter(kept) == Counter(TOKEN.findall(line)), f"{path.name}:{number}"


@pytest.mark.parametrize(("tool", "path"), printouts(), ids=lambda each: getattr(each, "name", each))
def test_names_are_those_of_the_engine(tool: str, path: Path) -> None:
    for row in read_printout(tool, path).rows:
        assert row.operation in ("", *OPERATIONS)
        assert row.scheme in ("", *contract().option("scheme").choices)
        assert bool(row.scheme) == bool(row.operation)
        assert row.value_us is None or (row.value_us > 0 and row.statistic)


def rows_of(tool: str, name: str) -> dict[tuple[str, int | None, int | None], float | None]:
    """Value of each row by operation, bytes and processes."""
    found = read_printout(tool, FOLDER / f"{name}.txt").rows
    return {(row.operation, row.bytes, row.processes): row.value_us for row in found if row.operation}


def test_values_are_in_microseconds_and_where_they_belong() -> None:
    assert rows_of("imb", "imb-ompi-n2")["allreduce", 65536, 2] == 236.70
    assert rows_of("imb", "pmb-2.2-alltoall")["alltoall", 4194304, 2] == 19034.41
    assert rows_of("imb", "pmb-2.2-alltoall")["alltoall", 1, 4] == 27.07
    assert rows_of("osu", "osu-ompi-n2-bcast")["bcast", 8, None] == 8020.23
    assert rows_of("osu", "osu-5.3-messages")["ping-pong", 65536, 2] == 6.89
    assert rows_of("mpibench", "mpibench-ompi-n2")["bcast", 8, 2] == 0.8654
    assert rows_of("reprompi", "reprompi-window-ompi-n2")["bcast", 65536, 2] == pytest.approx(12.571)
    assert rows_of("mpiperf", "mpiperf-bcast")["bcast", 2048, 2] == 0.30


def schemes(tool: str, name: str) -> dict[str, str]:
    return {row.operation: row.scheme for row in read_printout(tool, FOLDER / f"{name}.txt").rows if row.operation}


def test_the_scheme_of_each_tool_is_named() -> None:
    assert schemes("imb", "imb-ompi-n2") == {"bcast": "barrier", "allreduce": "barrier", "barrier": "loop"}
    assert schemes("imb", "imb-2021-rotating-root") == {"bcast": "rotating-root", "allreduce": "loop"}
    assert schemes("imb", "pmb-2.2-alltoall") == {"alltoall": "loop"}
    assert schemes("osu", "osu-5.3-collectives") == {"bcast": "barrier", "barrier": "loop"}
    assert set(schemes("reprompi", "reprompi-rt-ompi-n4").values()) == {"round-time"}
    assert set(schemes("reprompi", "reprompi-window-ompi-n2").values()) == {"window"}
    assert schemes("mpiperf", "mpiperf-loop") == {"allgather": "loop"}
    assert schemes("mpiperf", "mpiperf-bcast") == {"bcast": "window"}


def test_old_imb_rotates_its_root(tmp_path: Path) -> None:
    text = (FOLDER / "imb-ompi-n2.txt").read_text().replace("2021.11", "4.1 Update 1")
    (tmp_path / "old.txt").write_text(text)
    found = {row.operation: row.scheme for row in read_printout("imb", tmp_path / "old.txt").rows}
    assert found == {"bcast": "rotating-root", "allreduce": "loop", "barrier": "loop"}


def test_samples_without_a_time_say_why() -> None:
    late = read_printout("imb", FOLDER / "imb-2021-time-out.txt").rows[0]
    full = read_printout("imb", FOLDER / "imb-2021-out-of-memory.txt").rows[-1]
    assert (late.bytes, late.value_us, late.note.split(";")[0]) == (0, None, "time-out.")
    assert (full.bytes, full.value_us, full.note[:28]) == (2097152, None, "out-of-mem.; needed X=   0.0")
    none = read_printout("reprompi", FOLDER / "reprompi-rt-ompi-n4.txt").rows
    assert {(row.value_us, row.min_us, row.note) for row in none} == {(None, None, "no valid repetition")}
    zero = read_printout("mpiperf", FOLDER / "mpiperf-seconds.txt").rows[0]
    assert (zero.value_us, zero.note) == (None, "printed as zero: too few digits")


def test_groups_keep_their_number_and_are_not_taken_for_one() -> None:
    rows = read_printout("imb", FOLDER / "imb-2021-groups.txt").rows
    multi = [row for row in rows if row.benchmark == "Multi-Bcast"]
    assert [(row.group, row.bytes, row.processes, row.operation) for row in multi[:3]] == [
        (0, 0, 1, ""), (1, 0, 1, ""), (0, 8, 1, ""),
    ]  # fmt: skip
    assert {row.operation for row in rows if row.benchmark == "Bcast"} == {"bcast"}


def test_a_size_of_minus_one_is_none(tmp_path: Path) -> None:
    head = "# Benchmarking Barrier\n# #processes = 4\n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n"
    (tmp_path / "imb.txt").write_text(head + "-1 1000 1.5 1.7 1.6\n")
    row = read_printout("imb", tmp_path / "imb.txt").rows[0]
    assert (row.operation, row.bytes, row.value_us) == ("barrier", 0, 1.6)
    assert ("#bytes", "-1") in row.cells


def test_skampi_collectives_with_and_without_a_size(tmp_path: Path) -> None:
    text = (
        '# SKaMPI Version 5.0 rev. 191\n\nbegin result "MPI_Bcast-nodes-length"\n'
        "nodes= 2 count= 1        1       6.6       0.1       54       3.1       6.6\n"
        "nodes= 3 count= 1        1       7.6       0.1       54       3.1    ---         7.6\n"
        'end result "MPI_Bcast-nodes-length"\n# begin result "MPI_Barrier-nodes"\n'
        'nodes= 2       5.5       0.2       16       5.4       5.5\n# end result "MPI_Barrier-nodes"\n'
    )
    (tmp_path / "skampi.sko").write_text(text)
    found = read_printout("skampi", tmp_path / "skampi.sko")
    assert found.version == "5.0"
    assert [(row.operation, row.bytes, row.processes, row.value_us, row.repetitions) for row in found.rows] == [
        ("bcast", 1, 2, 6.6, 54), ("bcast", 1, 3, 7.6, 54), ("barrier", 0, 2, 5.5, 16),
    ]  # fmt: skip
    assert dict(found.rows[1].cells)["process 2"] == "7.6" and "process 1" not in dict(found.rows[1].cells)


def test_runs_of_reprompi_are_rows(tmp_path: Path) -> None:
    text = (
        "#@datatype_size_bytes=8\n#@nprocs=4\n#@procsync=window\n#@runtime_type=global\n"
        "      test  nrep  count  errorcode  runtime_sec\n"
        " MPI_Bcast     0      2          0 0.0000050000\n MPI_Bcast     1      2          1 0.0000900000\n"
    )
    (tmp_path / "runs.txt").write_text(text)
    good, bad = read_printout("reprompi", tmp_path / "runs.txt").rows
    assert (good.bytes, good.processes, good.value_us) == (16, 4, pytest.approx(5.0))
    assert good.statistic == "one repetition: largest end minus smallest start"
    assert (bad.value_us, bad.note) == (None, "invalid repetition, error code 1")


def refusal(tool: str, name: str, change: tuple[str, str], folder: Path) -> tuple[Path, str]:
    """A file of that tool after a change, and why it is refused."""
    text = (FOLDER / f"{name}.txt").read_text()
    assert change[0] in text
    path = folder / "changed.txt"
    path.write_text(text.replace(*change))
    with pytest.raises(FileError) as caught:
        read_printout(tool, path)
    return path, str(caught.value)


@pytest.mark.parametrize(
    ("tool", "name", "change", "said"),
    [
        ("imb", "osu-ompi-n2-bcast", ("", ""), ":1: no table of IMB in this file"),
        ("osu", "imb-ompi-n2", ("", ""), ":1: no table of OSU in this file"),
        ("reprompi", "imb-ompi-n2", ("", ""), ":1: no table of ReproMPI in this file"),
        ("skampi", "imb-ompi-n2", ("", ""), ":1: no table of SKaMPI in this file"),
        ("mpiperf", "imb-ompi-n2", ("", ""), ":1: no table of mpiperf in this file"),
        ("pico", "imb-ompi-n2", ("", ""), ":1: no table of PICO in this file"),
        ("pico", "pico-fugaku-allreduce", ("Average runtime", "srun: error"), ":102: 'srun: error: 0.001538' is not a"),
        ("mpibench", "imb-ompi-n2", ("", ""), ":1: no table of mpiBench in this file"),
        ("imb", "imb-ompi-n2", ("         1.03\n", "\n"), ":37: 4 columns, but the table's head has 5"),
        ("imb", "imb-ompi-n2", (" 1.03\n", " oops\n"), ":37: 'oops' in column t_avg[usec] is not a number"),
        ("osu", "osu-ompi-n2-barrier", ("# Avg Lat", "# Mean Lat"), ":4: '8299.76"),
        ("mpibench", "mpibench-ompi-n2", ("Iters:", "Loops:"), ":4: no `Iters:` in this result"),
        ("mpibench", "mpibench-ompi-n2", ("0 : vm", "killed"), ":2: 'killed' is not a result of mpiBench"),
        ("reprompi", "reprompi-window-ompi-n2", (" 0.0000051190 ", " "), ":26: 7 columns, but the table's head has 8"),
        ("mpiperf", "mpiperf-bcast", (" 512  ", " many "), ":52: 'many' in column Count is not a number"),
        ("skampi", "skampi-5-pingpong", ("  6.0       0.0      160       5.7       5.7", ""), ":2: 1 numbers after"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused_with_file_line_and_reason(
    tool: str, name: str, change: tuple[str, str], said: str, tmp_path: Path
) -> None:
    path, message = refusal(tool, name, change, tmp_path)
    assert f"{path}{said}" in message


@pytest.mark.parametrize(
    ("tool", "name", "change", "said"),
    [
        ("imb", "imb-ompi-n2", (" 1.03\n", " -1.03\n"), ":37: value_us = -1.03 cannot be"),
        ("imb", "imb-ompi-n2", (" 1.03\n", " nan\n"), ":37: value_us = nan cannot be"),
        ("imb", "imb-ompi-n2", (" 1.03\n", " ١.٠٣\n"), ":37: has digits that are not 0 to 9"),
        ("imb", "imb-ompi-n2", ("#processes = 2", "#processes = ٢"), "has digits that are not 0 to 9"),
        ("imb", "imb-ompi-n2", ("#processes = 2", "#processes = 0"), "processes = 0 cannot be"),
        ("imb", "imb-ompi-n2", (" 1.03\n", " -inf\n"), ":37: value_us = -inf cannot be"),
        ("imb", "imb-ompi-n2", (" 1.03\n", f" {'9' * 400}\n"), ":37: value_us = inf cannot be"),
        ("osu", "osu-ompi-n2-bcast", ("65536  ", "-65536  "), ": bytes = -65536 cannot be"),
        (
            "osu", "osu-ompi-n2-bcast", ("65536  ", "12345678901234567890123456  "), "is not a whole "
            "number of at most 18"),
        ("osu", "osu-ompi-n2-bcast", ("65536  ", f"{'9' * 5000}  "), "is not a whole number of at most 18"),
        ("mpibench", "mpibench-ompi-n2", ("Ranks: 2", "Ranks: -2"), ": processes = -2 cannot be"),
        ("mpiperf", "mpiperf-bcast", (" 512  ", " 9007199254740993  "), ":52: bytes = 9.007199255e+15 cannot be"),
        ("reprompi", "reprompi-window-ompi-n2", ("nprocs=2", "nprocs=-2"), ": processes = -2 cannot be"),
        ("pico", "pico-leonardo-allreduce", ("481993153", "-481993153"), ":2: value_us = -481993.153 cannot be"),
        ("skampi", "skampi-5-pingpong", ("  6.0  ", "  -6.0  "), ":2: value_us = -6 cannot be"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_file_and_line(
    tool: str, name: str, change: tuple[str, str], said: str, tmp_path: Path
) -> None:
    path, message = refusal(tool, name, change, tmp_path)
    assert re.match(rf"{re.escape(str(path))}:\d+: ", message)
    assert said in message
    assert len(message) < 300


@pytest.mark.parametrize("value", ["nan", "1e999", "-1", "-1.00"])
def test_a_percentile_that_cannot_be_is_refused(value: str, tmp_path: Path) -> None:
    path = tmp_path / "osu.txt"
    head = "# OSU MPI Broadcast Latency Test v7.4\n# Size      Avg Latency(us)      P99 Tail Lat(us)\n"
    path.write_text(f"{head}8      1.50      2.50\n16      1.50      {value}\n")
    with pytest.raises(FileError) as caught:
        read_printout("osu", path)
    assert str(caught.value) == (
        f"{path}:4: P99 Tail Lat(us) = {value} cannot be; correct the line, or remove it"
    )  # fmt: skip


@pytest.mark.parametrize(("tool", "name"), [("imb", "imb-ompi-n2"), ("osu", "osu-ompi-n2-bcast")])
def test_a_file_that_is_cut_in_a_number_is_refused(tool: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "cut.txt"
    whole = read_printout(tool, FOLDER / f"{name}.txt")
    lines = (FOLDER / f"{name}.txt").read_text().splitlines()[: whole.rows[-1].line]
    path.write_text("\n".join(lines) + "\n")
    assert read_printout(tool, path).rows == whole.rows
    for characters in range(4):
        text = "\n".join(lines)
        path.write_text(text[: len(text) - characters])
        with pytest.raises(FileError, match=rf"^{re.escape(str(path))}:{len(lines)}: "):
            read_printout(tool, path)


def test_what_a_file_leaves_out_is_told_and_what_it_says_stays() -> None:
    silent = read_printout("osu", FOLDER / "osu-ompi-n2-bcast.txt")
    assert {row.processes for row in placed(silent, 64, 32).rows} == {64}
    said = read_printout("imb", FOLDER / "imb-ompi-n2.txt")
    with pytest.raises(FileError, match="--processes 64: line 36 of the file says 2; leave it out"):
        placed(said, 64, None)
