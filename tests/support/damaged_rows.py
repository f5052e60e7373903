"""A Parquet file with each byte of its metadata damaged: ``python -m support.damaged_rows``.

Prints how many damaged files gave rows, and how many an error of ours; anything else ends the process, as Arrow may.
"""

from __future__ import annotations

import io
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from agentmsg.errors import AgentMsgError
from agentmsg.files.parquet import group_cuts, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

pa: Any = import_module("pyarrow")
parquet: Any = import_module("pyarrow.parquet")
MESSAGES = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None}]


def damaged() -> Iterator[bytes]:
    """Yield the file with each byte at its end changed, in four ways."""
    buffer = io.BytesIO()
    parquet.write_table(pa.table({"messages": [MESSAGES] * 3}), buffer, row_group_size=2)
    whole = buffer.getvalue()
    end = int.from_bytes(whole[-8:-4], "little") + 8
    schema = whole.rindex(b"ARROW:schema")
    for at in range(len(whole) - end, len(whole)):
        # Arrow's own addition is long, and repeats the rest.
        if at < schema or at > len(whole) - 40:
            for bits in (0x01, 0x02, 0x10, 0xFF):
                yield whole[:at] + bytes((whole[at] ^ bits,)) + whole[at + 1 :]


def main() -> None:
    """Read all of them, and split them into ranges."""
    rows = errors = 0
    for data in damaged():
        try:
            rows += bool(list(read_rows(io.BytesIO(data), "a.parquet", "messages", longest=1 << 20)))
            list(group_cuts(io.BytesIO(data), "a.parquet", 1))
        except AgentMsgError:
            errors += 1
    sys.stdout.write(f"{rows} {errors}\n")


if __name__ == "__main__":
    main()
