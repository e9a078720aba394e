"""How Hadoop is set up: MREv's parameters by their names, and those that MREv leaves to Hadoop's files."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BeforeValidator,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    StringConstraints,
    WithJsonSchema,
)

from harness.core.models import Strict

SiteFile = Literal[
    "core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml", "capacity-scheduler.xml"
]
SITE_FILES: tuple[SiteFile, ...] = get_args(SiteFile)


def text_of(value: Any) -> Any:
    """Return a value of YAML as Hadoop's files write it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


CHECKSUM_MB = 2**-11
"""What HDFS makes one checksum of, 512 bytes: a block is a multiple of it."""
PropertyName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][\w.-]*$")]
PropertyValue = Annotated[
    str, BeforeValidator(text_of), WithJsonSchema({"type": ["string", "number", "boolean"]})
]
Properties = dict[PropertyName, PropertyValue]
"""Properties of Hadoop by name."""


class DaemonHeaps(Strict):
    """Java heap of each daemon, MB."""

    namenode: PositiveInt = 256
    datanode: PositiveInt = 192
    resourcemanager: PositiveInt = 320
    nodemanager: PositiveInt = 256
    historyserver: PositiveInt = 256


class Parameters(Strict):
    """Parameters of one Hadoop cluster. The defaults suit two workers on a laptop."""

    mappers_per_node: PositiveInt = Field(default=2, description="map tasks that run at once on a worker")
    reducers_per_node: PositiveInt = Field(
        default=1, description="reduce tasks that run at once on a worker; a job has this many per worker"
    )
    heap_mb: PositiveInt = Field(default=400, description="Java heap of each task")
    am_heap_mb: PositiveInt = Field(default=400, description="Java heap of a job's application master")
    overhead_mb: PositiveInt = Field(default=112, description="memory of a container besides its Java heap")
    block_size_mb: float = Field(
        default=64, ge=1, multiple_of=CHECKSUM_MB, description="HDFS block size, whole checksums of 512 bytes"
    )
    replication: PositiveInt = Field(default=3, description="HDFS replicas; at most one per worker is made")
    io_sort_mb: PositiveInt = Field(default=100, description="a map task's sort buffer")
    io_sort_factor: PositiveInt = Field(default=64, description="streams merged at once")
    io_file_buffer_kb: PositiveInt = 128
    slow_start: float = Field(
        default=0.05, ge=0, le=1, description="share of the maps that end before reduce tasks are started"
    )
    compress_map_output: bool = False
    handlers: PositiveInt = Field(default=4, description="threads that answer requests, of each HDFS daemon")
    heartbeat_ms: PositiveInt = Field(
        default=200,
        description="between a NodeManager's or application master's reports to the ResourceManager",
    )
    lost_after_s: PositiveFloat = Field(
        default=40.0, ge=12, description="a worker that is silent for so long is given up"
    )
    daemon_heap_mb: DaemonHeaps = DaemonHeaps()
    daemon_compiler: Literal["c1", "tiered"] = Field(
        default="c1", description="JIT compilers of the daemons: the first one starts much cheaper"
    )
    task_compiler: Literal["c1", "tiered"] = Field(default="tiered", description="JIT compilers of the tasks")
    start_timeout_s: PositiveFloat = Field(default=120.0, description="until all daemons must be ready")
    least_free_mb: NonNegativeInt = Field(
        default=512, description="free space that the disk under test must have on every host at the start"
    )
    port_base: NonNegativeInt = Field(
        default=0, le=32000, description="first port; 0 looks for a range that is free on every host"
    )
    extra: dict[SiteFile, dict[str, str]] = Field(
        default_factory=dict, description="further Hadoop properties by file; they win over all others"
    )

    @property
    def block_bytes(self) -> int:
        """HDFS block size, bytes."""
        return int(self.block_size_mb * 2**20)

    @property
    def task_memory_mb(self) -> int:
        """Memory of a task's container, MB."""
        return self.heap_mb + self.overhead_mb

    @property
    def am_memory_mb(self) -> int:
        """Memory of an application master's container, MB."""
        return self.am_heap_mb + self.overhead_mb

    @property
    def node_memory_mb(self) -> int:
        """Memory of a worker's containers, MB: all its tasks, and an application master."""
        return (self.mappers_per_node + self.reducers_per_node) * self.task_memory_mb + self.am_memory_mb
