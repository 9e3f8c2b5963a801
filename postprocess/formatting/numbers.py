# SPDX-License-Identifier: BSD-3-Clause
"""Numbers and lists as text: as many digits as the uncertainty allows; units of bandwidth."""

from collections.abc import Iterable, Mapping
from math import floor, isfinite, isnan, log10
from typing import Any

#: Groups of three digits are set apart by a narrow no-break space.
GAP = "\u202f"
#: Stands where there is no number.
NONE = "–"
#: Decimals of a time in µs down to 1 ns, the step in which clocks are read.
NS_DECIMALS = 3


def fixed(value: float, decimals: int) -> str:
    """`12 345.60`: a fixed number of decimals, digits in groups of three."""
    if not isfinite(value):
        return NONE if isnan(value) else "∞"
    return f"{value:,.{max(decimals, 0)}f}".replace(",", GAP)


def decimals_for(value: float, low: float, high: float) -> int:
    """Decimals that show two digits of half the interval, within two to four digits of the value.

    Without an interval at most three: the clocks of times in µs read whole ns.
    """
    leading = floor(log10(abs(value))) if value and isfinite(value) else 0
    half = (high - low) / 2
    if not (isfinite(half) and half > 0):
        return max(0, min(3 - leading, _measured_decimals(value)))
    wanted = 1 - floor(log10(half))
    return max(0, min(max(wanted, 1 - leading), 3 - leading))


def interval(value: float, low: float, high: float, decimals: int) -> tuple[str, str]:
    """The value and `[low; high]`, with the same number of decimals; no interval if there is but one value."""
    if not isfinite(value):
        return NONE, ""
    if not (isfinite(low) and isfinite(high)) or low == high:
        return fixed(value, decimals), ""
    return fixed(value, decimals), f"[{fixed(low, decimals)}; {fixed(high, decimals)}]"


def significant(value: float, digits: int = 3) -> str:
    """A number with the given number of significant digits."""
    if not value or not isfinite(value):
        return fixed(value, 0)
    rounded = float(f"{value:.{digits - 1}e}")  # 0.9996 has as many decimals as 1.00
    return fixed(value, digits - 1 - floor(log10(abs(rounded))))


def microseconds(value: float, digits: int = 3) -> str:
    """`0.006` of 0.006 µs, `12.3` of 12.345: these significant digits, none below 1 ns; a shorter time has one."""
    if not value or not isfinite(value):
        return fixed(value, 0)
    text = significant(value, digits)
    decimals = _measured_decimals(value)
    return text if len(text.partition(".")[2]) <= decimals else fixed(value, decimals)


def _measured_decimals(value: float) -> int:
    """Decimals of a time in µs down to 1 ns, or to its first digit if it is shorter."""
    return max(NS_DECIMALS, -floor(log10(abs(value)))) if value and isfinite(value) else NS_DECIMALS


def factor_at_least(value: float) -> str:
    """`1.29` of 1.2987: a factor above 1 with three digits, never more than it is."""
    if not isfinite(value):
        return fixed(value, 0)
    unit = 10.0 ** (floor(log10(value)) - 2)
    return significant(floor(value / unit * (1 + 1e-12)) * unit)


def ratio(value: float) -> str:
    """`1.24×`."""
    return f"{significant(value)}×" if isfinite(value) else NONE


def ratio_interval(low: float, high: float) -> str:
    """`[1.18; 1.30]`."""
    return f"[{significant(low)}; {significant(high)}]"


def ratio_with_interval(row: Mapping[Any, Any]) -> str:
    """`1.24× [1.18; 1.30]`, of the columns `ratio`, `ratio_low`, `ratio_high`."""
    return f"{ratio(row['ratio'])} {ratio_interval(row['ratio_low'], row['ratio_high'])}"


def percent(value: float) -> str:
    """`3.1 %`, of a fraction."""
    return f"{significant(100 * value, 2)}{GAP}%" if isfinite(value) else NONE


def given_percent(value: float) -> str:
    """`5 %`, of a fraction that a person chose."""
    return f"{100 * value:g}{GAP}%"


def short(value: float) -> str:
    """`1.5`, `2`, `100`: two significant digits, without zeros at the end."""
    return f"{float(f'{value:.2g}'):g}"


def size(number: int) -> str:
    """`8 KiB` if that is exact, else bytes."""
    for unit, factor in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if number and number % factor == 0:
            return f"{number // factor}{GAP}{unit}"
    return f"{number}{GAP}B"


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 launch`, `2 launches`."""
    return f"{fixed(number, 0)} {noun if number == 1 else plural or noun + 's'}"


def are(number: int) -> str:
    """The verb after a number of things."""
    return "is" if number == 1 else "are"


def listing(items: list[str]) -> str:
    """`a, b and c`."""
    return ", ".join(items[:-1]) + (" and " if len(items) > 1 else "") + items[-1] if items else ""


def distinct(values: Iterable[object]) -> str:
    """The distinct values, separated by commas."""
    return ", ".join(sorted({str(value) for value in values if value}))


def short_list(names: list[str]) -> str:
    """The first eight of them, and how many there are."""
    shown = ", ".join(names[:8])
    return shown if len(names) <= 8 else f"{shown} … ({len(names)} in all)"


#: Bytes of a MB (SI) and of a MiB (IEC 80000-13).
MB, MIB = 10**6, 2**20
#: MiB/s → MB/s: multiply.
MIB_IN_MB = MIB / MB
