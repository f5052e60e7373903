"""The arguments that LangChain takes an unfinished text for: the calls of a chunk are made of its pieces.

Followed: langchain-core 1.x, ``parse_partial_json``. A text that isn't JSON gets its string and brackets closed, and
loses characters at its end until it is JSON; where that is an object, it is listed under ``tool_calls``. So unfinished
arguments look valid there. Here this is only what a document is expected to say: the text is what counts. Imports
nothing.
"""

from __future__ import annotations

import re
from typing import Any

FAILED: Any = object()
"""What ``partial_args`` gives where nothing can be made of a text."""
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?P<end>"?)|(?P<sign>[{}\[\]])', re.DOTALL)
_CLOSES = {"{": "}", "[": "]"}
# Behind what a shorter text may be JSON, and how often that is tried: LangChain tries all, in the square of the length.
_ENDS = frozenset('"}]{[0123456789el')
_TRIES = 64


def partial_args(text: str | None) -> Any:
    """Return the arguments for a piece of a call, or FAILED."""
    import json  # noqa: PLC0415 - lenient about control characters, as LangChain is

    if not text:
        return {}
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        pass
    closed = _closed(text)
    if closed is None:
        return FAILED
    begin, end = closed
    tries = 0
    for length in range(len(begin), 0, -1):
        if begin[length - 1] not in _ENDS:
            continue
        tries += 1
        if tries > _TRIES:
            break
        try:
            return json.loads(begin[:length] + end, strict=False)
        except ValueError:
            continue
        except RecursionError:
            break
    return FAILED


def _closed(text: str) -> tuple[str, str] | None:
    """Return a text whose string is closed, and the brackets that close it; None where brackets do not match."""
    open_: list[str] = []
    in_string = False
    for token in _TOKEN.finditer(text):
        sign = token["sign"]
        if sign is None:
            in_string = not token["end"]
        elif sign in _CLOSES:
            open_.append(_CLOSES[sign])
        elif not open_ or open_.pop() != sign:
            return None
    if in_string:
        text = (text.removesuffix("\\") if (len(text) - len(text.rstrip("\\"))) % 2 else text) + '"'
    return text, "".join(reversed(open_))
