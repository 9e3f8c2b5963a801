# SPDX-License-Identifier: BSD-3-Clause
"""The words of the answer, as a reader would explain them to another."""

#: The words that the first screen uses, and what each means.
GLOSSARY = {
    "comparison": "one operation at one message size and one number of processes, timed under two stacks",
    "stack": "an MPI library in one version, built and started in one way",
    "slower": "takes longer by more than the practical threshold, and chance alone hardly explains it",
    "faster": "takes less time by more than the practical threshold, and chance alone hardly explains it",
    "equivalent": "the whole interval lies within the practical threshold: the difference does not matter in practice",
    "depends": "slower or faster in one regime of the machine, and not so in the other: see the ratio in each",
    "not slower": "the interval excludes that it is slower by more than the practical threshold, and shows no more",
    "not faster": "the same of faster: it may be slower by more than the threshold",
    "inconclusive": "the measurements allow both: the interval says what is ruled out",
    "practical threshold": "the smallest relative difference that matters (analysis.threshold in the campaign file)",
    "interval": "the range in which the true ratio lies with the stated confidence, given what was measured",
    "on the whole": "the geometric mean of the ratios of all comparisons that count, by their weights",
    "exploratory": "outside the campaign's question: a lead to follow, to be confirmed by a separate campaign",
    "placement": "which nodes the processes run on, in which order, and how many on each",
    "block": "one reservation of the machine, in which every stack is measured in random order",
    "launch": "one start of the benchmark program; times differ from start to start, so there are many",
    "quality": "A: nothing to object to; D: do not decide by this run",
}
