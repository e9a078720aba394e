# Is the cluster as its site file says? Asked on the login node and in one short job, before anything else is queued
# (by onstart, in plan.smk), and whenever the user asks.
# in:  the site file, the plan (how many nodes, how long, how much)
# out: build/preflight/<digest>.json when all is well


localrules:
    preflight,


rule preflight:
    """Check the cluster against its site file; lines with PASS or FAIL say what was found and what to do."""
    log:
        "build/logs/preflight.log",
    retries: 0
    params:
        answer=preflight_answer,
        choices=preflight_choices(),
    shell:
        '"$KVASIR_PYTHON" scripts/preflight.py {params.answer:q} {params.choices:q} 2>&1 | tee {log:q} >&2'
