"""Starts a part of this package without importing the rest of the harness: boot.py MODULE [ARGUMENT]..."""

import importlib
import pathlib
import sys
import types


def main() -> int:
    """Register the packages above this one as empty, then run MODULE's main."""
    here = pathlib.Path(__file__).resolve().parent
    for name, folder in (("harness", here.parents[1]), ("harness.hosts", here.parent)):
        package = types.ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    module = importlib.import_module(f"harness.hosts.inside.{sys.argv[1]}")
    return int(module.main(sys.argv[2:]))


if __name__ == "__main__":
    sys.exit(main())
