"""Loads classes by dotted name, so that configuration can name one of the user's own."""

from __future__ import annotations

import importlib

from harness.core.errors import KvasirError


def load_class(reference: str, base: str) -> type:
    """Import and return the class `reference` (`package.module:Class`), which must be a concrete subclass of `base`.

    Raises KvasirError when it cannot be imported or is anything else.
    """
    found, parent = _attribute(reference), _attribute(base)
    assert isinstance(parent, type), base
    if not isinstance(found, type) or not issubclass(found, parent):
        raise KvasirError(f"{reference}: expected a subclass of {base}, found {found!r}")
    if missing := sorted(getattr(found, "__abstractmethods__", ())):
        raise KvasirError(f"{reference}: expected a class that defines {', '.join(missing)}")
    return found


def _attribute(reference: str) -> object:
    module, _, name = reference.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except AttributeError:
        raise KvasirError(f"{reference}: module {module} has no {name}") from None
    except Exception as error:
        advice = (
            "is its folder on PYTHONPATH?" if isinstance(error, ModuleNotFoundError) else "mend the module"
        )
        raise KvasirError(
            f"{reference}: cannot be imported: {type(error).__name__}: {error}: {advice}"
        ) from None
