"""Cancel the jobs that a Snakemake of this folder has left in SLURM's queue, and wait for their end."""

from pathlib import Path

from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.core.folder_lock import alone
from harness.slurm.adoption import cancel_left


def cancel() -> None:
    """Cancel them, unless a Snakemake works here, which would submit them again."""
    here = Path.cwd()
    if not alone(here / ".snakemake"):
        raise KvasirError(f"a Snakemake works in {here}: end it first (Ctrl-C), then cancel its jobs")
    jobs = cancel_left(here)
    print(f"cancelled {len(jobs)} jobs" + (f": {', '.join(jobs)}" if jobs else ""))


if __name__ == "__main__":
    main(cancel)
