"""What frozen mappings hold, for who only looks: their own methods freeze all children first, as they hand them out.

The values may be plain containers, which could be changed: nobody may keep one, or hand it out. Mappings that were
given so are taken, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["held", "held_items", "held_keys", "held_values"]

_dict: Any = dict

held: Callable[[Mapping[str, Any], str], Any] = _dict.get
"""Return the value under a key; None without one."""
held_keys: Callable[[Mapping[str, Any]], Iterable[str]] = _dict.keys
"""Return the keys."""
held_values: Callable[[Mapping[str, Any]], Iterable[Any]] = _dict.values
"""Return the values."""
held_items: Callable[[Mapping[str, Any]], Iterable[tuple[str, Any]]] = _dict.items
"""Return the keys and the values."""
