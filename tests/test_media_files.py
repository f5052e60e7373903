"""Media from files: a named file is read at once, with its media type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from agentmsg import (
    AudioBlock,
    Base64Source,
    FileBlock,
    FileError,
    ImageBlock,
    InvalidMessage,
    Limits,
    TextBlock,
    VideoBlock,
)

if TYPE_CHECKING:
    from pathlib import Path

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
JPEG = b"\xff\xd8\xff\xe0" + bytes(8)
WEBP = b"RIFF\x24\x00\x00\x00WEBPVP8 "
KINDS: dict[str, tuple[str, bytes, str | None]] = {
    "by its first bytes": ("shot", PNG, "image/png"),
    "by its name": ("voice.mp3", b"ID3", "audio/mpeg"),
    "by its name in capitals": ("CLIP.MP4", b"\x00\x00", "video/mp4"),
    "first bytes before the name": ("shot.png", JPEG, "image/jpeg"),
    "a container told by its second word": ("a.bin", WEBP, "image/webp"),
    "a sound told by its second word": ("a.bin", b"RIFF\x24\x00\x00\x00WAVEfmt ", "audio/wav"),
    "a sound with a tag": ("a.bin", b"ID3\x03\x00\x00", "audio/mpeg"),
    "the last suffix counts": ("a.png.csv", b"a,b", "text/csv"),
    "of no usual kind": ("a.odd", b"?", None),
    "a name that is a suffix's": ("png", b"?", None),
    "empty": ("empty.txt", b"", "text/plain"),
}


@pytest.mark.parametrize("name", list(KINDS))
def test_a_file_becomes_a_source(name: str, tmp_path: Path) -> None:
    """The source holds the bytes; the first bytes decide the media type, else the name does."""
    file, data, kind = KINDS[name]
    path = tmp_path / file
    path.write_bytes(data)
    for source in (Base64Source.from_file(path), Base64Source.from_file(str(path))):
        assert (source.decode(), source.media_type) == (data, kind)
    assert Base64Source.from_file(path, "a/b").media_type == "a/b"


@pytest.mark.parametrize("cls", [AudioBlock, FileBlock, ImageBlock, VideoBlock])
def test_media_blocks_are_made_of_files(cls: Any, tmp_path: Path) -> None:
    """Each class of media makes the same block from a file as from its bytes and media type."""
    path = tmp_path / "shot.png"
    path.write_bytes(PNG)
    assert cls.from_file(path) == cls.from_bytes(PNG, "image/png")
    assert cls.from_file(path, "a/b") == cls.from_bytes(PNG, "a/b")
    assert not hasattr(TextBlock, "from_file")


def test_a_file_may_be_too_large(tmp_path: Path) -> None:
    """More bytes than the limit are refused, exactly as many are not."""
    path = tmp_path / "shot.png"
    path.write_bytes(PNG)
    assert Base64Source.from_file(path, limits=Limits(inline_media=len(PNG))).decode() == PNG
    with pytest.raises(InvalidMessage, match="larger than the limit") as caught:
        Base64Source.from_file(path, limits=Limits(inline_media=len(PNG) - 1))
    assert caught.value.code == "bytes"


@pytest.mark.parametrize("name", [".", "missing.png", "nul\0.png"])
def test_a_file_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    """A folder, a missing file or an impossible name is a FileError, which is also an OSError."""
    with pytest.raises(FileError, match="cannot be read") as caught:
        ImageBlock.from_file(tmp_path / name)
    assert caught.value.code == "file"
    assert isinstance(caught.value, OSError)
