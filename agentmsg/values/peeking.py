"""Look into frozen mappings: their own methods freeze all children first, because they hand them out.

A value may be a plain container, which could be changed: don't keep it, and don't hand it out. Plain mappings work too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["peek", "peek_items", "peek_keys", "peek_values"]

_dict: Any = dict

peek: Callable[[Mapping[str, Any], str], Any] = _dict.get
"""Return the value under a key; None without one."""
peek_keys: Callable[[Mapping[str, Any]], Iterable[str]] = _dict.keys
"""Return the keys."""
peek_values: Callable[[Mapping[str, Any]], Iterable[Any]] = _dict.values
"""Return the values."""
peek_items: Callable[[Mapping[str, Any]], Iterable[tuple[str, Any]]] = _dict.items
"""Return the keys and values."""
