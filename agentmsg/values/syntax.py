"""Why a text isn't JSON, in words that help."""

from __future__ import annotations

import re

from agentmsg.errors import DecodeError

# orjson's messages and their codes; everything else is "syntax".
_REASONS = {
    "surrogate in string": "surrogate",
    "infinity": "number",
    "depth": "depth",  # newer versions say "depth limit exceeded", older ones "recursion depth exceeded"
}
_BEGINNINGS = {
    b"\xef\xbb\xbf": "it begins with a byte order mark",
    b"\xff\xfe": "it looks like UTF-16",
    b"\xfe\xff": "it looks like UTF-16",
    b"\x1f\x8b": "it looks compressed",
    b"\x28\xb5\x2f\xfd": "it looks compressed",
    b"PAR1": "it looks like Parquet (--form parquet)",
    b"SQLite format 3": "it looks like SQLite (--form sqlite)",
}
# Where orjson stops: what Python writes for floats that JSON doesn't have.
_NUMBER = re.compile("NaN|Infinity")


def syntax_error(data: bytes, error: ValueError) -> DecodeError:
    """Return the error for a text that orjson refuses."""
    words = str(error)
    code = next((code for part, code in _REASONS.items() if part in words), "syntax")
    hints = [hint for start, hint in _BEGINNINGS.items() if data.startswith(start)]
    if "valid UTF-8" in words:
        words = "it isn't UTF-8"  # orjson speaks of surrogates, and always of the first character
    if "content after document" in words and "column 1 " in words:
        hints = ["one document per line is JSON Lines: --form jsonl, or am.load_lines"]
    if found := _NUMBER.match(getattr(error, "doc", ""), getattr(error, "pos", 0)):
        words = f"{found[0]} is no number of JSON:{words.partition(':')[2]}"
    return DecodeError("; ".join([f"not JSON: {words}", *hints]), code=code)
