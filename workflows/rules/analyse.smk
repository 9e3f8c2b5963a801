# SPDX-License-Identifier: BSD-3-Clause
# From raw files to the report. Nothing here touches a measurement; all can be made again.


rule ingest:
    input:
        expand("blocks/{block}.json", block=BLOCKS),
    output:
        expand("store/{table}.parquet", table=["launches", "measurements", "runs"]),
    log:
        "log/ingest.log",
    conda:
        "../envs/isochron.yaml"
    shell:
        "python -P -m isochron.postprocess ingest . > {log} 2>&1"


rule analyse:
    input:
        "campaign.yaml",
        rules.ingest.output,
    output:
        "tables/summary.csv",
        "tables/findings.json",
    log:
        "log/analyse.log",
    conda:
        "../envs/isochron.yaml"
    shell:
        "python -P -m isochron.postprocess analyse . > {log} 2>&1"


rule render:
    input:
        rules.ingest.output,
        rules.analyse.output,
    output:
        "report/index.html",
    log:
        "log/render.log",
    conda:
        "../envs/isochron.yaml"
    shell:
        "python -P -m isochron.postprocess render . > {log} 2>&1"
