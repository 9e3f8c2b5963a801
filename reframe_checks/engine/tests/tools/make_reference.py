# SPDX-License-Identifier: BSD-3-Clause
"""Prints reference.h: values of the statistics computed with scipy, for test_statistics.c.

python make_reference.py > reference.h
"""

import numpy as np
from scipy import stats

DOF = [1, 2, 3, 4, 5, 7, 9, 10, 15, 19, 29, 30, 49, 50, 99, 100, 499, 1000, 9999]
CONFIDENCE = [0.5, 0.9, 0.95, 0.99, 0.999]
COUNTS = [1, 2, 5, 6, 7, 8, 9, 10, 11, 15, 16, 20, 25, 30, 31, 50, 99, 100, 101, 500, 1000]


def median_rank(n: int, confidence: float) -> int:
    """Largest r with P(X_(r) <= median <= X_(n+1-r)) >= confidence, 0 if there is none."""
    best = 0
    for r in range(1, n // 2 + 1):
        if 1.0 - 2.0 * stats.binom.cdf(r - 1, n, 0.5) >= confidence:
            best = r
    return best


def sample_rows(trim: float, confidence: float) -> list[str]:
    """One initialiser a sample: values, trimmed mean, winsorised standard error, interval, median."""
    rows = []
    generator = np.random.default_rng(20260101)
    for n in (2, 5, 10, 16, 30):
        values = np.round(generator.lognormal(7.0, 0.6, n), 1)
        ordered = np.sort(values)
        cut = int(np.floor(trim * n))
        mean = stats.trim_mean(values, trim)
        winsorised = np.asarray(stats.mstats.winsorize(ordered, limits=(cut / n, cut / n)))
        error = winsorised.std(ddof=1) / ((1 - 2 * trim) * np.sqrt(n))
        half = stats.t.ppf(0.5 + confidence / 2, n - 2 * cut - 1) * error if n - 2 * cut > 1 else float("nan")
        numbers = ", ".join(f"{v:.1f}" for v in values)
        figures = ", ".join(f"{figure:.15g}" for figure in (mean, error, mean - half, np.median(values)))
        rows.append(f"    {{{n}, {{{numbers}}},\n     {figures}}},")
    return rows


def main() -> None:
    """Prints the header."""
    print("/* SPDX-License-Identifier: BSD-3-Clause */")
    print("/* reference.h: made by make_reference.py with scipy; do not edit. */")
    print("#include <stddef.h>\n")
    print("static const struct {\n    double confidence;\n    size_t dof;\n    double quantile;\n} STUDENT[] = {")
    for p in CONFIDENCE:
        for dof in DOF:
            print(f"    {{{p}, {dof}, {stats.t.ppf(0.5 + p / 2, dof):.15g}}},")
    print("};\n\nstatic const struct {\n    double confidence;\n    size_t count, rank;\n} MEDIAN_RANK[] = {")
    for p in (0.9, 0.95, 0.99):
        for n in COUNTS:
            print(f"    {{{p}, {n}, {median_rank(n, p)}}},")
    print("};\n\n/* trim 0.25, confidence 0.95 */")
    print("static const struct {\n    size_t count;\n    double values[30];\n    double mean, se, ci_low, median;")
    print("} SAMPLES[] = {")
    print("\n".join(sample_rows(0.25, 0.95)))
    print("};")


if __name__ == "__main__":
    main()
