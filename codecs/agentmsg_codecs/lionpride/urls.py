"""The URLs that lionpride accepts for images."""

from __future__ import annotations

from agentmsg.formats import speed

_WEB_URL = r"(?i)https?://([^/?#]*)"
_BRACKETS = r"(?i)([^\[\]]*@)?\[([0-9a-f:.]+)\](:[0-9]*)?"
_IGNORED = dict.fromkeys(map(ord, "\t\r\n"))
_MARKS = dict.fromkeys(map(ord, "/?#@:"))


def is_web_url(url: str) -> bool:
    """Whether lionpride accepts an image's URL: http or https, and a host that urlsplit accepts."""
    match = speed.compiled(_WEB_URL).match(url)
    if match is None or "\x00" in url or "%00" in url:
        return False
    host = match[1].translate(_IGNORED)
    if host.isascii():
        return _is_ipv6(host) if "[" in host or "]" in host else bool(host)
    from unicodedata import normalize  # noqa: PLC0415 - few hosts need it

    plain = host.translate(_MARKS)
    return _MARKS.keys().isdisjoint(map(ord, normalize("NFKC", plain))) and "[" not in host and "]" not in host


def _is_ipv6(host: str) -> bool:
    """Whether the brackets of a host hold an address."""
    from ipaddress import AddressValueError, IPv6Address  # noqa: PLC0415 - few need it, and it is slow to import

    match = speed.compiled(_BRACKETS).fullmatch(host)
    try:
        return match is not None and bool(IPv6Address(match[2]).packed)
    except AddressValueError:
        return False
