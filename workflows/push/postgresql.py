# SPDX-License-Identifier: BSD-3-Clause
"""Records as rows of PostgreSQL: three tables, made when they are not there, each with the record's key as primary key.

What is asked for most has a column of its own; `record` has everything. A batch is one transaction: of a run either
all rows are stored or none, and rows of the run that are no longer in the batch (of a comparison that is now the other
way round) are removed.
"""

from dataclasses import dataclass
from typing import Any

from isochron.common.files import FileError
from isochron.common.text import printable
from isochron.workflows.push.batch import Batch, RefusedError, UnreachableError

COMMON = {
    "key": "text PRIMARY KEY",
    "campaign": "text",
    "system": "text",
    "run_id": "text",
    "created_at": "timestamptz",
}
CASE = {
    "operation": "text",
    "bytes": "bigint",
    "processes": "integer",
    "processes_per_node": "integer",
    "placement": "text",
}
PAIR = {"baseline": "text", "candidate": "text"}
NUMBER = "double precision"


@dataclass(frozen=True)
class Table:
    """A table: its name, and its columns with their types."""

    name: str
    columns: dict[str, str]

    @property
    def statement(self) -> bytes:
        """What makes the table, and the index by which a campaign's runs are found."""
        columns = ", ".join(f"{name} {kind}" for name, kind in self.columns.items())
        return (
            f"CREATE TABLE {self.name} ({columns}, record jsonb NOT NULL); "
            f"CREATE INDEX ON {self.name} (campaign, created_at)"
        ).encode()

    @property
    def upsert(self) -> bytes:
        """What stores a row; a row with the same key is replaced."""
        names = [*self.columns, "record"]
        fresh = ", ".join(f"{name} = EXCLUDED.{name}" for name in names[1:])
        places = ", ".join(["%s"] * len(names))
        return (
            f"INSERT INTO {self.name} ({', '.join(names)}) VALUES ({places}) ON CONFLICT (key) DO UPDATE SET {fresh}"
        ).encode()

    def row(self, record: dict[str, Any]) -> list[object]:
        """Return the values of the columns; texts are texts, also where CSV has a number (a stack that is called 5)."""
        values = ((record.get(name), kind.startswith("text")) for name, kind in self.columns.items())
        return [str(value) if text and value is not None else value for value, text in values]


#: By the kind of the records.
TABLES = {
    "result": Table(
        "isochron_results",
        {
            **COMMON,
            "stack": "text",
            **CASE,
            "median_us": NUMBER,
            "median_low_us": NUMBER,
            "median_high_us": NUMBER,
            "verdict": "text",
            "reliable": "boolean",
        },
    ),
    "comparison": Table(
        "isochron_comparisons",
        {**COMMON, **PAIR, **CASE, "ratio": NUMBER, "ratio_low": NUMBER, "ratio_high": NUMBER, "verdict": "text"},
    ),
    "answer": Table("isochron_answers", {**COMMON, **PAIR, "decision": "text", "effect_ratio": NUMBER}),
}

#: Milliseconds that a statement, or the network, may take: a table may be locked, and a host may vanish.
LONGEST_MS = 60_000


@dataclass(frozen=True)
class PostgresReceiver:
    """A database. libpq finds the password: PGPASSWORD, PGPASSFILE, ~/.pgpass, `?passfile=` of the address."""

    url: str

    def __post_init__(self) -> None:
        """Raise FileError without the library."""
        try:
            import psycopg as _  # noqa: F401
        except ImportError as error:
            raise FileError(
                f"PostgreSQL needs the Python package psycopg ({str(error).splitlines()[0]}); "
                "install it: pip install 'isochron[postgresql]'"
            ) from None

    def accept(self, batch: Batch) -> None:
        """Store the batch in one transaction."""
        import psycopg

        try:
            with psycopg.connect(
                self.url,
                fallback_application_name="isochron",
                connect_timeout=LONGEST_MS // 2000,
                tcp_user_timeout=LONGEST_MS,
            ) as connection:
                _store(connection, batch)
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise UnreachableError(f"does not answer ({_first_line(error)})") from None
        except psycopg.Error as error:
            raise RefusedError(f"does not store it ({_first_line(error)})") from None


def _store(connection: Any, batch: Batch) -> None:
    """Store the rows of all kinds; the transaction ends with the connection. One push at a time: they share rows."""
    from psycopg.types.json import Jsonb

    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = {LONGEST_MS}")
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('isochron push'))")
        for kind, table in TABLES.items():
            records = batch.of_kind(kind)
            # "IF NOT EXISTS" asks for the right to make tables even where it makes none.
            if cursor.execute("SELECT to_regclass(%s)", [table.name]).fetchone()[0] is None:
                cursor.execute(table.statement)
            cursor.executemany(table.upsert, [[*table.row(record), Jsonb(record)] for record in records])
            keys = [record["key"] for record in records]
            cursor.execute(f"DELETE FROM {table.name} WHERE run_id = %s AND NOT key = ANY(%s)", [batch.run_id, keys])


def _first_line(error: Exception) -> str:
    return printable((str(error).strip() or type(error).__name__).splitlines()[0])
