# SPDX-License-Identifier: BSD-3-Clause
# A block: one allocation with all its launches. `isochron run` gives all blocks that are ready to one ReFrame call
# (workflows/driving/block_executor.py); the command below is what another executor of Snakemake starts. Calls of a run
# wait for each other: no two blocks are measured beside each other on one machine.
# Every stack is built before the first block starts, so that no compiler disturbs a measurement;
# the manifests are `ancient`, so that a rebuilt engine never makes a measured block run again.


rule measure:
    input:
        ancient(expand("stacks/{stack}.json", stack=STACKS)),
    output:
        "blocks/{block}.json",
    log:
        "log/block-{block}.log",
    conda:
        "../envs/isochron.yaml"
    resources:
        trial=lambda wildcards, attempt: attempt,
    retries: config.get("limits", {}).get("retries", 1)
    priority: lambda wildcards: len(BLOCKS) - BLOCKS[wildcards.block]["index"]
    shell:
        "python -P -m isochron.reframe_checks blocks . {wildcards.block} --try {resources.trial} > {log} 2>&1"
