"""The URLs that AgentScope 2.x accepts as a source: those of pydantic's AnyUrl.

The check of hosts is coarser: it refuses a few rare ones that AnyUrl accepts, and never the reverse.
"""

from __future__ import annotations

import re
from unicodedata import bidirectional

_URL = re.compile(r"([a-z][a-z0-9+.-]*):(//([^/?#]*))?", re.IGNORECASE)
_HOST = re.compile(r"([a-z0-9._~!$&'()*+,;=:%-]*@)?(?P<name>[^\s:@%]*?)(:(?P<port>[0-9]{0,5}))?", re.IGNORECASE)
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", re.IGNORECASE)
_QUAD = re.compile(r"((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.IGNORECASE)
_SPECIAL = frozenset({"ftp", "http", "https", "ws", "wss"})
_REMOVED = frozenset("\t\r\n")
_LAST_PORT = 65535


def is_url(text: str) -> bool:
    """Whether a text is an absolute URL; web URLs need a host."""
    match = _URL.match(text)
    if match is None or not _REMOVED.isdisjoint(text):
        return False
    scheme = match[1].lower()
    if "\\" in text and (match[2] is not None or scheme == "file"):
        return False
    if match[2] is None:
        return scheme not in _SPECIAL
    host = _HOST.fullmatch(match[3])
    if host is None or int(host["port"] or 0) > _LAST_PORT:
        return False
    if not host["name"]:
        return scheme not in _SPECIAL and not match[3]
    return (scheme != "file" or host["name"] == match[3]) and _is_name(host["name"])


def _is_name(name: str) -> bool:
    """Whether a host is a name of letters and digits, or an IPv4 address."""
    if not name.isascii():
        name = "".join("x" if letter.isalpha() and bidirectional(letter) == "L" else letter for letter in name)
    if _NAME.fullmatch(name) is None:
        return False
    return _NUMBER.fullmatch(name.rpartition(".")[2]) is None or _QUAD.fullmatch(name) is not None
