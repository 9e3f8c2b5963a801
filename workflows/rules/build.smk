# SPDX-License-Identifier: BSD-3-Clause
# A stack: made ready, the engine compiled with it and checked. One ReFrame call.


localrules:
    build,


rule build:
    output:
        "stacks/{stack}.json",
    log:
        "log/build-{stack}.log",
    conda:
        "../envs/isochron.yaml"
    shell:
        "python -P -m isochron.reframe_checks build . {wildcards.stack} > {log} 2>&1"
