"""The arguments that LangChain makes from unfinished text, for the calls of a chunk.

Follows ``parse_partial_json`` of langchain-core 1.x. If a text isn't JSON, its string and brackets are closed, and it
loses characters at its end until it is JSON; if that is an object, ``tool_calls`` lists it. So unfinished arguments
look valid there. This module only predicts what a document says: the text is what counts.
"""

from __future__ import annotations

import re
from typing import Any

FAILED: Any = object()
"""The result of ``partial_args`` if no arguments can be made from a text."""
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?P<end>"?)|(?P<sign>[{}\[\]])', re.DOTALL)
_CLOSES = {"{": "}", "[": "]"}
# The last characters of a text that may be JSON, and the number of tries; LangChain's has no limit, and squared time.
_ENDS = frozenset('"}]{[0123456789el')
_TRIES = 64


def partial_args(text: str | None) -> Any:
    """Return the arguments in the text of a piece, or FAILED."""
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
    """Return a text with its string closed, and its closing brackets; None if brackets don't match."""
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
