"""Look into frozen mappings without freezing their children, as their own methods would.

A value may be a plain container, which is mutable: don't keep it, and don't hand it out. Plain mappings work, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_dict: Any = dict

peek: Callable[[Mapping[str, Any], str], Any] = _dict.get
"""Return the value under a key; None without one."""
peek_keys: Callable[[Mapping[str, Any]], Iterable[str]] = _dict.keys
"""Return the keys."""
peek_values: Callable[[Mapping[str, Any]], Iterable[Any]] = _dict.values
"""Return the values."""
peek_items: Callable[[Mapping[str, Any]], Iterable[tuple[str, Any]]] = _dict.items
"""Return the keys and values."""
