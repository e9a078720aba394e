"""What HDFS's CacheAdmin lists of a pool."""

import pytest

from harness.cells.block_cache import cached_bytes
from harness.core.errors import KvasirError

LIST = """Found 1 result.
NAME   OWNER GROUP MODE       LIMIT     MAXTTL BYTES_NEEDED BYTES_CACHED BYTES_OVERLIMIT FILES_NEEDED FILES_CACHED
kvasir root  root  rwxr-xr-x  unlimited never      20971520     10485760               0            2            1
"""


def test_needed_and_cached_bytes() -> None:
    assert cached_bytes(LIST) == (20971520, 10485760)


@pytest.mark.parametrize(
    "text", ["Found 0 results.\n", LIST.replace("kvasir ", "other "), LIST.replace("10485760", "some")]
)
def test_no_such_list_is_an_error(text: str) -> None:
    with pytest.raises(KvasirError, match="pools are listed as"):
        cached_bytes(text)
