# SPDX-License-Identifier: BSD-3-Clause
"""The verdicts on a comparison: what is shown of a candidate against its baseline."""

#: A difference beyond the practical threshold is shown, or excluded in both directions. `depends`: in one regime of the
#: machine it is shown, in the other one excluded.
DECIDED = ("slower", "faster", "equivalent", "depends")
#: It is excluded in one direction (non-inferiority), and no more is shown.
BOUNDED = ("not-slower", "not-faster")
#: Nothing is shown. `missing`: the candidate has no time of the case; `new`: the baseline has none.
NOTHING_SHOWN = ("inconclusive", "missing", "new")
#: All verdicts in the order in which they are listed.
VERDICTS = (*DECIDED, *BOUNDED, *NOTHING_SHOWN)
#: Verdicts that leave open whether the candidate is slower.
MAY_BE_SLOWER = ("depends", "not-faster", *NOTHING_SHOWN)
#: The verdict on the baseline against the candidate, where it is another one.
TURNED = {
    "slower": "faster",
    "faster": "slower",
    "not-slower": "not-faster",
    "not-faster": "not-slower",
    "missing": "new",
    "new": "missing",
}
#: Meaning of the column `verdict`.
VERDICT_COLUMN = f"verdict on the candidate: {', '.join(f'`{verdict}`' for verdict in VERDICTS)}"
