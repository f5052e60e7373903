"""Dispatch: tables from tags and classes to functions, filled once from the hooks of a cattrs Converter.

And ``freeze``, for hooks of free-form values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.lazy import later
from agentmsg.values.frozen import freeze
from agentmsg.values.types import class_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.model.structured_output import strict_converter

__all__ = ["class_of", "freeze", "hook_table", "strict_converter"]

__getattr__ = later(globals(), {"agentmsg.model.structured_output": "strict_converter"})


def hook_table(get_hook: Callable[[Any], Callable[..., Any]], classes: Any) -> dict[Any, Callable[..., Any]]:
    """Return the hooks of some classes as a dict, filled once from a cattrs Converter.

    Args:
        get_hook: ``converter.get_structure_hook`` or ``converter.get_unstructure_hook``.
        classes: the classes, or a mapping from tags to classes.
    """
    pairs = classes.items() if hasattr(classes, "items") else ((cls, cls) for cls in classes)
    return {key: get_hook(cls) for key, cls in pairs}
