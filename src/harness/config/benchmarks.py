"""Models of `config/benchmarks.yaml`: commands of the user's that are benchmarks, one entry a benchmark."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PositiveFloat, PositiveInt, StringConstraints

from harness.core.models import Strict

BenchmarkId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*$")]
COMMAND = "command"
"""The key that tells the settings of a command from those of a benchmark that has a class."""


class CommandEntry(Strict):
    """Describes a command that is a benchmark: what runs, on which input, and how its output is checked."""

    command: str = Field(
        min_length=1,
        description="what /bin/sh runs on the master; {input}, {output}, {maps}, {reduces}, {workers} and {hdfs} stand "
        "for what KVASIR_INPUT and so on hold",
    )
    input: str = Field(
        default="", description="benchmark whose input in HDFS it reads, as terasort; none: it has no input"
    )
    data_mb: PositiveInt | None = Field(
        default=None, description="size of that input, 2^20 bytes; none: as of that benchmark at the scale"
    )
    input_settings: dict[str, Any] = Field(
        default_factory=dict, description="further settings of the benchmark that the input is of"
    )
    same_output: bool = Field(
        default=False,
        description="whether it must write what that benchmark does, which is checked as that benchmark's output is",
    )
    check: str = Field(
        default="",
        description="command that looks at the output after the clock has stopped; what it prints last is the reason "
        "where its exit code is not 0. KVASIR_LOG names the file with what the command has printed",
    )


class NamedCommand(CommandEntry):
    """Describes an entry of the file."""

    timeout_s: PositiveFloat | None = Field(
        default=None, description="a run that takes longer is stopped; none: as the scale says"
    )
