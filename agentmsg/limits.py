"""How large an input may be before it is refused; imports nothing of the package.

Callers may raise a limit, data never can: pass ``limits=Limits(depth=500)`` to loads, decode or convert.
"""

from __future__ import annotations

import attrs

__all__ = ["AROUND", "DEFAULT_LIMITS", "USUAL", "Limits"]

_MIB = 1024 * 1024


@attrs.frozen(kw_only=True)
class Limits:
    """Upper bounds on what is read.

    Attributes:
        bytes: size of one document, in bytes.
        depth: nesting of arrays and objects in one free-form value; a document may have AROUND levels more, for what
            its format puts around such values, unless the limit is lowered.
        nesting: nesting of content blocks (a result inside a result ...).
        line: length of one line of a JSON Lines file, in bytes.
        inline_media: decoded size of one Base64Source, in bytes.
    """

    bytes: int = 64 * _MIB
    depth: int = 128
    nesting: int = 64
    line: int = 64 * _MIB
    inline_media: int = 32 * _MIB


DEFAULT_LIMITS = Limits()
# Blocks inside blocks (64 at most) take two levels each; with those of history, message and block this is the most
# that a format puts around free-form JSON. The sum, 254, is also the most that orjson writes.
AROUND = 126
# Documents of at most so many levels in all need no further care: what readers put around a part of one, at most a few
# levels, stays below the default depth. Deeper ones are read by ``deep``.
USUAL = 120
