# SPDX-License-Identifier: BSD-3-Clause
"""LUMI, CPU partition: facts of `config/lumi.py` of github.com/Lumi-supercomputer/lumi-reframe-tests, commit a6d7984.

A Cray with Lmod: modules of the system, the partition and the programming environments; srun; nodes of 2 x 64 cores.
"""

ENVIRONMENTS = ["PrgEnv-cray", "PrgEnv-gnu", "cpeCray", "cpeGNU"]

site_configuration = {
    "systems": [
        {
            "name": "lumi",
            "hostnames": [r"ln\d+-nmn", r"uan\d+-nmn.local", r"\S+"],
            "modules_system": "lmod",
            "modules": ["LUMI"],
            "partitions": [
                {
                    "name": "login",
                    "scheduler": "local",
                    "launcher": "local",
                    "time_limit": "10m",
                    "environs": ["builtin", *ENVIRONMENTS],
                    "max_jobs": 4,
                    "modules": ["partition/L"],
                },
                {
                    "name": "cpu",
                    "scheduler": "slurm",
                    "launcher": "srun",
                    "time_limit": "10m",
                    "access": ["--partition=standard", "--account=project_462000008"],
                    "environs": ["builtin", *ENVIRONMENTS],
                    "max_jobs": 100,
                    "modules": ["partition/C"],
                    "container_platforms": [{"type": "Singularity", "modules": []}],
                    "resources": [{"name": "memory", "options": ["--mem={mem_per_node}"]}],
                },
            ],
        },
    ],
    "environments": [{"name": name, "modules": [name]} for name in ENVIRONMENTS],
}
