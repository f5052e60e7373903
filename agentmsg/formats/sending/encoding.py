"""Data that isn't base64: the rule of providers that decode it."""

from __future__ import annotations

import binascii
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from agentmsg.formats.sending.edits import Change, Remove
from agentmsg.formats.sending.findings import SendingRule
from agentmsg.model.blocks import AudioBlock, FileBlock, ImageBlock, ToolResultBlock, VideoBlock
from agentmsg.model.sources import Base64Source, BlocksSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentmsg.formats.sending.edits import Edit, Path
    from agentmsg.formats.sending.findings import Mending, Request

Spelling: TypeAlias = Literal["any", "padded", "standard"]
_MEDIA = (ImageBlock, AudioBlock, VideoBlock, FileBlock)


def is_base64(text: str, spelling: Spelling = "any") -> bool:
    """Whether a text is base64; line breaks and spaces don't count.

    Args:
        text: any text.
        spelling: what is allowed: "any"; "padded": with padding, in the standard or the URL-safe alphabet; "standard":
            with padding, in the standard alphabet.
    """
    if _decodes(text):
        return True
    if spelling == "any":
        return _decodes(_standard(text))
    compact = "".join(text.split())
    return _decodes(compact if spelling == "standard" else compact.replace("-", "+").replace("_", "/"))


def _decodes(text: str) -> bool:
    try:
        binascii.a2b_base64(text, strict_mode=True)
        # Strict decoders also refuse bits after the last byte, and too much padding.
        return not text.endswith("=") or _without_rest(text) == text
    except ValueError:  # also for text outside ASCII
        return False


def _standard(text: str) -> str:
    """Return a text in the standard alphabet, with padding: it is base64 if the text was, in any spelling."""
    compact = "".join(text.split()).rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _without_rest(compact + "=" * (-len(compact) % 4))
    except ValueError:
        return text


def _without_rest(text: str) -> str:
    """Return base64 without the bits after its last byte."""
    return text[:-4] + binascii.b2a_base64(binascii.a2b_base64(text[-4:]), newline=False).decode()


def data_encoding(spelling: Spelling = "any") -> SendingRule:
    """Return the rule that media are base64. Other data is left out, with the block that holds it.

    Args:
        spelling: what the provider accepts, see ``is_base64``; other base64 is rewritten in the standard alphabet.
    """
    fits = partial(is_base64, spelling=spelling)
    return SendingRule(
        "data-encoding",
        partial(_find, fits),
        "the data is no base64",
        "spell it so, or leave it out",
        mend=partial(_mend, fits),
    )


def _find(fits: Callable[[str], bool], request: Request) -> Iterator[Path]:
    for index, at, block in request.blocks(*_MEDIA):
        if not all(map(fits, _data(block))):
            yield ("messages", index, "content", at)
    for index, at, block in request.blocks(ToolResultBlock):
        for inner, each in enumerate(block.content):
            if isinstance(each, _MEDIA) and not all(map(fits, _data(each))):
                yield ("messages", index, "content", at, "content", inner)


def _data(block: Any) -> Iterator[str]:
    """Yield the data of a media block, and of those inside it."""
    source = getattr(block, "source", None)
    if isinstance(source, Base64Source):
        yield source.data
    elif isinstance(source, BlocksSource):
        for each in source.content:
            yield from _data(each)


def _mend(fits: Callable[[str], bool], mending: Mending) -> Iterator[Edit]:
    for path in mending.paths:
        near = _near(fits, mending.request.at(path))
        yield Remove(path, "content") if near is None else Change(path, near)


def _near(fits: Callable[[str], bool], block: Any) -> Any:
    """Return a media block with allowed data; None if that isn't possible."""
    source = getattr(block, "source", None)
    if isinstance(source, BlocksSource):
        kept = [near for each in source.content if (near := _near(fits, each)) is not None]
        return block.evolve(source=source.evolve(content=kept))
    if not isinstance(source, Base64Source) or fits(source.data):
        return block
    data = _standard(source.data)
    return block.evolve(source=source.evolve(data=data)) if fits(data) else None
