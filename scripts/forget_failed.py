"""Delete the records of runs that failed or timed out, so that the workflow runs them again."""

import shutil

from harness.config.load import results_folders
from harness.core.cli import main
from harness.results.layout import failed_folders, made_from


def forget() -> None:
    """Delete failed runs of all scales and sites. Those of a replay stay: nothing runs them again."""
    folders = [folder for root in results_folders() for folder in failed_folders(root)]
    for folder in folders:
        print(f"forgetting {folder}")
        shutil.rmtree(folder)
        for path in made_from(folder):
            path.unlink(missing_ok=True)
    print(f"{len(folders)} runs will be run again")


if __name__ == "__main__":
    main(forget)
