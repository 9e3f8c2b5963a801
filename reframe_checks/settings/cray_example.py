# SPDX-License-Identifier: BSD-3-Clause
"""Example ReFrame settings for a Cray EX with Slurm: copy, and change names, access and cores to your site's.

cray-mpich is a stack of the site: an external of its Spack environment, launched by `srun` with the plug-in of the
machine.
docs/how-to/run-under-a-scheduler.md says what Isochron takes from them.
"""

site_configuration = {
    "systems": [
        {
            "name": "cray_example",
            "descr": "a Cray EX with Slurm",
            "hostnames": [".*"],
            "modules_system": "nomod",
            "partitions": [
                {
                    "name": "compute",
                    "scheduler": "slurm",
                    "launcher": "srun",
                    "access": ["--constraint=gpu", "--account=my-project"],
                    "environs": ["stack"],
                    "max_jobs": 8,
                    "processor": {"num_cpus": 64},
                    "sched_options": {"use_nodes_option": True},
                    "env_vars": [["MPICH_OFI_NIC_POLICY", "NUMA"]],
                },
            ],
        }
    ],
    # The compilers and libraries are those of the stacks.
    "environments": [{"name": "stack", "target_systems": ["cray_example"]}],
    "logging": [{"handlers": [{"type": "file", "name": "reframe.log", "level": "debug", "append": False}]}],
}
