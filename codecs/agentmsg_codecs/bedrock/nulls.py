"""Parts with a null for each kind that they aren't, as the output of batches and some SDKs have them.

The mark ``/nulls`` of a message is the keys of each part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from agentmsg.formats import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Sequence

PARTS = frozenset({
    "audio", "cachePoint", "citationsContent", "document", "guardContent", "image", "reasoningContent", "searchResult",
    "text", "toolResult", "toolUse", "video",
})  # fmt: skip


def without_nulls(parts: Any) -> tuple[list[Any], list[str]] | None:
    """Return parts without their nulls, and the keys of each; None if they have none, or not all the same keys."""
    if not is_list(parts) or not parts or not is_object(parts[0]) or len(parts[0]) < 2:  # noqa: PLR2004
        return None
    keys = parts[0].keys()
    if not keys <= PARTS or not all(is_object(part) and part.keys() == keys for part in parts):
        return None
    bare = [{key: value for key, value in part.items() if value is not None} for part in parts]
    return (bare, list(keys)) if all(len(part) == 1 for part in bare) else None


def with_nulls(parts: list[Any], mark: Any) -> list[Any]:
    """Return parts with nulls under the keys that a mark names, if they would be read as the same."""
    keys = cast("Sequence[Any]", mark) if isinstance(mark, (list, tuple)) else ()
    if not all(type(key) is str for key in keys):
        return parts
    spelt: list[Any] = [{**dict.fromkeys(keys), **part} if is_object(part) else part for part in parts]
    found = without_nulls(spelt)
    return spelt if found is not None and found[0] == parts else parts
