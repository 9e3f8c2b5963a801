# SPDX-License-Identifier: BSD-3-Clause
"""Vega (IZUM), CPU partition: facts of `config/izum_vega.py` of github.com/EESSI/test-suite, commit 209966b.

A clean environment in jobs, which steps would inherit; the fabric is chosen by commands, not by variables; processors
are to be detected by a job; nodes of 2 x 64 cores, each library's own launcher.
"""

site_configuration = {
    "systems": [
        {
            "name": "vega",
            "hostnames": ["vglogin*", "cn*", "gn*"],
            "modules_system": "lmod",
            "prefix": "reframe_runs",
            "partitions": [
                {
                    "name": "cpu",
                    "scheduler": "slurm",
                    "launcher": "mpirun",
                    "access": ["-p cpu", "--export=None"],
                    "prepare_cmds": ["export SLURM_EXPORT_ENV=ALL", "export OMPI_MCA_pml=ucx"],
                    "environs": ["default"],
                    "max_jobs": 120,
                    "sched_options": {"use_nodes_option": True},
                    "resources": [{"name": "memory", "options": ["--mem={size}"]}],
                    "extras": {"mem_per_node": 244140},
                },
            ],
        },
    ],
    "environments": [{"name": "default"}],
    "general": [{"remote_detect": True, "purge_environment": True, "resolve_module_conflicts": False}],
}
