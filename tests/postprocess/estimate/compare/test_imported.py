# SPDX-License-Identifier: BSD-3-Clause
"""Files of other benchmarks in tables of their own, and beside a run: no verdict, no interval made up."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from isochron.common.files import FileError
from isochron.postprocess.__main__ import main
from isochron.postprocess.estimate.compare.imported import IMPORT_COLUMNS, beside
from isochron.postprocess.formatting.spreadsheet import read_csv
from isochron.postprocess.ingest.imported import ImportOptions, import_files
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.schemas.run.imported import Imported, ImportLayout, all_imports, find_import, imports

PRINTOUTS = Path(__file__).parents[3] / "tools" / "printouts"
TOKEN = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?![\w.])")
HEAD = "# OSU MPI Broadcast Latency Test v7.4\n# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations\n"


def tables(layout: ImportLayout) -> dict[str, pd.DataFrame]:
    return {name: pq.read_table(layout.table(name)).to_pandas() for name in ("rows", "cells")}


@pytest.fixture
def osu(tmp_path: Path) -> list[Path]:
    """Two launches of a bcast with sizes of the small run."""
    paths = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for path, value in zip(paths, (3.0, 5.0), strict=True):
        path.write_text(f"{HEAD}8  {value}  2.0  6.0  1000\n1024  9.00  8.0  9.9  1000\n")
    return paths


def test_the_store_has_every_number_of_the_file_and_the_file_itself(tmp_path: Path) -> None:
    source = PRINTOUTS / "mpibench-ompi-n2.txt"
    record = import_files("mpibench", tmp_path, ImportOptions("old"), [source])
    layout = ImportLayout(imports(tmp_path) / "old")
    assert Imported.load(layout.record) == record
    assert (layout.printouts / record.files[0].copy_name).read_bytes() == source.read_bytes()
    found = tables(layout)
    assert len(found["rows"]) == record.files[0].rows == record.files[0].compared == 29
    texts = [token for line in source.read_text().splitlines() if "Bytes:" in line for token in TOKEN.findall(line)]
    assert sorted(found["cells"]["text"]) == sorted(texts)
    assert found["cells"]["value"].tolist() == [float(text) for text in found["cells"]["text"]]
    assert list(found["rows"]["processes_per_node"].unique()) == [2]


def test_a_file_that_is_refused_leaves_nothing(tmp_path: Path, osu: list[Path]) -> None:
    with pytest.raises(FileError, match=r"imb-ompi-n2\.txt:1: no table of OSU"):
        import_files("osu", tmp_path / "results", ImportOptions("old"), [*osu, PRINTOUTS / "imb-ompi-n2.txt"])
    assert not (tmp_path / "results").exists()


def test_a_name_is_given_once(tmp_path: Path, osu: list[Path]) -> None:
    results = tmp_path / "results"
    import_files("osu", results, ImportOptions("old"), osu)
    with pytest.raises(FileError, match="there is an import of this name; give another --name"):
        import_files("osu", results, ImportOptions("old"), osu)
    (results / "demo").mkdir()
    with pytest.raises(FileError, match="a campaign has this name; give another --name"):
        import_files("osu", results, ImportOptions("demo"), osu)
    assert [layout.root.name for layout in all_imports(results)] == ["old"]
    assert sorted(path.name for path in imports(results).iterdir()) == ["old"]
    assert find_import(results, "demo") is None


def ingested(small: RunInputs) -> RunInputs:
    assert main(["ingest", str(small.layout.root)]) == 0
    return small


def test_beside_a_run_nothing_is_claimed_and_no_interval_invented(
    small: RunInputs, tmp_path: Path, osu: list[Path]
) -> None:
    import_files("osu", tmp_path, ImportOptions("old", processes=4, processes_per_node=4), osu)
    table = beside(ImportLayout(imports(tmp_path) / "old"), ingested(small), imported_first=True)
    assert list(table.columns) == list(IMPORT_COLUMNS)
    assert set(table["verdict"]) == {"imported"}
    assert table[["ratio_low", "ratio_high"]].isna().all(axis=None)
    assert set(zip(table["operation"], table["bytes"], table["processes"], strict=True)) == {
        ("bcast", 8, 4), ("bcast", 1024, 4),
    }  # fmt: skip
    assert set(table["stack"]) == {"openmpi-5.0", "mpich-5.0"}
    row = table[(table["bytes"] == 8) & (table["stack"] == "openmpi-5.0")].iloc[0]
    assert (row["imported_us"], row["imported_min_us"], row["imported_max_us"], row["files"]) == (4.0, 3.0, 5.0, 2)
    assert row["ratio"] == row["engine_us"] / 4.0
    assert row["within"] == (row["engine_low_us"] <= 4.0 <= row["engine_high_us"])
    assert (row["scheme"], row["engine_scheme"]) == ("barrier", "window")
    assert (
        "2 files, 2 lines, not launched in the run's blocks: no test, no claim; barrier against window" in row["reason"]
    )
    assert "(E5)" in row["reason"] and "averages over processes" in row["reason"]
    assert "how many processes were on a node" not in row["reason"]


def test_the_other_way_round_the_ratio_is_turned(small: RunInputs, tmp_path: Path, osu: list[Path]) -> None:
    import_files("osu", tmp_path, ImportOptions("old", stack="mpich-5.0", processes=4), osu)
    layout, run = ImportLayout(imports(tmp_path) / "old"), ingested(small)
    first, last = (beside(layout, run, imported_first=each) for each in (True, False))
    assert set(first["stack"]) == {"mpich-5.0"}
    assert (first["ratio"] * last["ratio"]).tolist() == pytest.approx([1.0] * len(first))
    assert first["reason"].str.contains("the file does not say how many processes were on a node").all()


def test_what_cannot_be_compared_says_why(small: RunInputs, tmp_path: Path, osu: list[Path]) -> None:
    run = ingested(small)
    for told, said in (
        (ImportOptions("silent"), "import them again with --processes N"),
        (ImportOptions("large", processes=4096), "processes 4096"),
        (ImportOptions("other", stack="none", processes=4), "no reliable row of the stack none"),
        (
            ImportOptions("sparse", processes=4, processes_per_node=1),
            "no operation, size and number of processes is both",
        ),
    ):
        import_files("osu", tmp_path, told, osu)
        with pytest.raises(FileError, match=said):
            beside(ImportLayout(imports(tmp_path) / told.name), run, imported_first=True)


def test_the_verbs_print_json(
    small: RunInputs, tmp_path: Path, osu: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["import", "osu", str(tmp_path), *map(str, osu), "--name", "old", "--processes", "4"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["files"][1]["name"] == "two.txt"
    run = ingested(small)
    capsys.readouterr()
    assert main(["beside", str(imports(tmp_path) / "old"), str(run.layout.root), "--imported-first"]) == 0
    assert {row["verdict"] for row in json.loads(capsys.readouterr().out)} == {"imported"}
    assert main(words) == 1


def test_nothing_is_imported_through_a_link(tmp_path: Path, osu: list[Path]) -> None:
    results, theirs = tmp_path / "results", tmp_path / "theirs"
    for folder in (results, theirs):
        folder.mkdir()
    imports(results).symlink_to(theirs)
    with pytest.raises(FileError, match=rf"\.imported: is a symbolic link, to '{theirs}'"):
        import_files("osu", results, ImportOptions("old"), osu)
    assert not list(theirs.iterdir())


@pytest.mark.parametrize("damage", ["missing", "no readable Parquet"])
def test_a_damaged_import_is_said(small: RunInputs, tmp_path: Path, osu: list[Path], damage: str) -> None:
    import_files("osu", tmp_path, ImportOptions("old", processes=4), osu)
    layout = ImportLayout(imports(tmp_path) / "old")
    layout.table("rows").unlink() if damage == "missing" else layout.table("rows").write_bytes(b"PAR1")
    with pytest.raises(FileError, match=rf"rows\.parquet: (is )?{damage}.*; import the files again"):
        beside(layout, ingested(small), imported_first=True)


def test_files_that_state_no_job_say_nothing_of_another(
    tmp_path: Path, osu: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    import_files("osu", tmp_path, ImportOptions("old", processes=4), osu)
    assert main(["jobs", str(imports(tmp_path) / "old")]) == 1
    assert "old: its files do not state their job, so nothing is known of another" in capsys.readouterr().err


def test_jobs_are_the_units_of_files_that_state_them(small: RunInputs, tmp_path: Path) -> None:
    """Three launches of one job and one of another: 2 and 6 µs, not the four launches, nor the lines of the longest."""
    (tmp_path / "lumi_metadata.csv").write_text(
        "timestamp,test_id,nnodes,tasks_per_node,collective_type\n"
        + "".join(f"2025_04_07___16_{minute}_21,{test},1,4,BCAST\n" for minute in (14, 22) for test in range(3))
    )
    paths = []
    for minute, test, values in ((14, 0, [2000] * 9), (14, 1, [2000]), (14, 2, [1000, 3000]), (22, 0, [6000] * 2)):
        path = tmp_path / "lumi" / f"2025_04_07___16_{minute}_21" / str(test) / "2_default_ompi_int32.csv"
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(["highest", *map(str, values), ""]))
        paths.append(path)
    import_files("pico", tmp_path, ImportOptions("jobs"), paths)
    layout = ImportLayout(imports(tmp_path) / "jobs")
    assert set(tables(layout)["rows"]["job"]) == {"2025_04_07___16_14_21", "2025_04_07___16_22_21"}
    table = beside(layout, ingested(small), imported_first=True)
    values = table[["operation", "bytes", "imported_us", "jobs", "files", "lines"]].drop_duplicates()
    assert values.to_numpy().tolist() == [["bcast", 8, 4.0, 2, 4, 14]]
    assert table["reason"].str.startswith("2 jobs, 4 files, 14 lines, not launched in the run's blocks").all()
    assert main(["jobs", str(layout.root)]) == 0
    (line,) = read_csv(layout.tables / "jobs.csv").to_dict("records")
    assert (line["stack"], line["jobs"], line["launches"], line["rule"]) == ("bcast default_ompi", 2, 4, "case")
    assert line["value_us"] == pytest.approx(12**0.5)
    assert line["next_low_us"] < 2
    assert line["next_high_us"] > 6
    assert 0 < line["launch_sd"] < 1
    assert line["rest_sd"] == 0, "first repetitions, without warm-up, are no parts of a launch"
    assert len(read_csv(layout.tables / "job-ratios.csv")) == 0


def test_an_algorithm_that_took_effect_in_one_job_only_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second job is slow for all, and `ring` takes twice as long again."""
    (tmp_path / "lumi_metadata.csv").write_text(
        "timestamp,test_id,nnodes,tasks_per_node,collective_type\n"
        "2025_04_07___16_14_21,0,1,4,BCAST\n2025_04_07___16_22_21,0,1,4,BCAST\n"
    )
    paths = []
    algorithms = ["binomial", "chain", "default_ompi", "linear", "pipeline", "ring"]
    for (minute, slow), (number, algorithm) in product(((14, 10), (22, 15)), enumerate(algorithms)):
        for size in (2, 64):
            factor = 2 * slow if (minute, algorithm) == (22, "ring") else slow
            value = (100 + 7 * number + size) * factor + (minute + number + size) % 7
            path = tmp_path / "lumi" / f"2025_04_07___16_{minute}_21" / "0" / f"{size}_{algorithm}_int32.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(["highest", *[str(value)] * 20, ""]))
            paths.append(path)
    import_files("pico", tmp_path, ImportOptions("jobs"), paths)
    layout = ImportLayout(imports(tmp_path) / "jobs")
    capsys.readouterr()
    assert main(["jobs", str(layout.root)]) == 0
    assert capsys.readouterr().out.endswith("not the same in all jobs: bcast ring\n")
    (line,) = read_csv(layout.tables / "job-changes.csv").to_dict("records")
    assert (line["stack"], line["sizes"]) == ("bcast ring", 2)
    assert (line["longer_in"], line["shorter_in"]) == ("2025_04_07___16_22_21", "2025_04_07___16_14_21")
    assert line["ratio"] == pytest.approx(2, rel=0.02)
