"""The URLs that AgentScope 2.x accepts as a source: those of pydantic's AnyUrl.

The check of hosts is coarser: it refuses a few rare ones that AnyUrl accepts, and never the reverse.
"""

from __future__ import annotations

from unicodedata import bidirectional

from agentmsg.formats import speed

_URL = r"(?i)([a-z][a-z0-9+.-]*):(//([^/?#]*))?"
_HOST = r"(?i)([a-z0-9._~!$&'()*+,;=:%-]*@)?(?P<name>[^\s:@%]*?)(:(?P<port>[0-9]{0,5}))?"
_NAME = r"(?i)[a-z0-9_-]+(\.[a-z0-9_-]+)*"
_QUAD = r"(?a)((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}"
_NUMBER = r"(?i)[0-9]+|0x[0-9a-f]*"
_SPECIAL = frozenset({"ftp", "http", "https", "ws", "wss"})
_REMOVED = frozenset("\t\r\n")
_LAST_PORT = 65535


def is_url(text: str) -> bool:
    """Whether a text is an absolute URL; web URLs need a host."""
    match = speed.compiled(_URL).match(text)
    if match is None or not _REMOVED.isdisjoint(text):
        return False
    scheme = match[1].lower()
    if "\\" in text and (match[2] is not None or scheme == "file"):
        return False
    if match[2] is None:
        return scheme not in _SPECIAL
    host = speed.compiled(_HOST).fullmatch(match[3])
    if host is None or int(host["port"] or 0) > _LAST_PORT:
        return False
    if not host["name"]:
        return scheme not in _SPECIAL and not match[3]
    return (scheme != "file" or host["name"] == match[3]) and _is_name(host["name"])


def _is_name(name: str) -> bool:
    """Whether a host is a name of letters and digits, or an IPv4 address."""
    if not name.isascii():
        name = "".join("x" if letter.isalpha() and bidirectional(letter) == "L" else letter for letter in name)
    if speed.compiled(_NAME).fullmatch(name) is None:
        return False
    if speed.compiled(_NUMBER).fullmatch(name.rpartition(".")[2]) is None:
        return True
    return speed.compiled(_QUAD).fullmatch(name) is not None
