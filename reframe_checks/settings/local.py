# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame settings for this machine, whatever it is: no scheduler, no modules, nothing to detect.

A site with a ReFrame configuration of its own gives that instead (`site.reframe_config`).
"""

import os

site_configuration = {
    "systems": [
        {
            "name": "local",
            "descr": "this machine",
            "hostnames": [".*"],
            "modules_system": "nomod",
            "partitions": [
                {
                    "name": "local",
                    "descr": "launches start here, one block at a time",
                    "scheduler": "local",
                    "launcher": "local",
                    "environs": ["stack"],
                    "max_jobs": 1,
                    # Stated, so that ReFrame detects nothing.
                    "processor": {"num_cpus": len(os.sched_getaffinity(0))},
                }
            ],
        }
    ],
    # The compilers are those of the stacks.
    "environments": [{"name": "stack", "target_systems": ["local"]}],
    "general": [
        {
            "resolve_module_conflicts": False,
            "remote_detect": False,
        }
    ],
    "logging": [
        {
            "handlers": [{"type": "file", "name": "reframe.log", "level": "debug", "append": False}],
            "handlers_perflog": [
                {
                    "type": "filelog",
                    "prefix": "%(check_system)s/%(check_partition)s",
                    "level": "info",
                    "format": "%(check_job_completion_time)s|%(check_name)s|%(check_jobid)s|%(check_perfvalues)s",
                    "format_perfvars": "%(check_perf_var)s=%(check_perf_value)s %(check_perf_unit)s|",
                    "append": True,
                }
            ],
        }
    ],
}
