"""What the name of a file says of what is in it; nothing is opened here."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal, TypeAlias

import attrs

from agentmsg.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "COMPRESSIONS",
    "STANDARD",
    "SUFFIXES",
    "WHOLE",
    "Form",
    "Kind",
    "as_array",
    "check_column",
    "check_lines",
    "is_pattern",
    "is_remote",
    "kind_of",
    "lines_kind",
    "renamed",
    "written_kind",
]

Form: TypeAlias = Literal["array", "json", "jsonl", "msgpack", "parquet"]
# The name that means stdin or stdout.
STANDARD = "-"
# The name of a column that means the whole row.
WHOLE = "*"
COMPRESSIONS = (".gz", ".zst")
_FORMS: Mapping[str, Form] = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".msgpack": "msgpack",
    ".parquet": "parquet",
}
# Forms that are no text of lines.
_BINARY = ("msgpack", "parquet")
SUFFIXES = tuple(_FORMS)
_PACKED = "JSON and MessagePack also with .gz or .zst"


@attrs.frozen
class Kind:
    """How documents stand in a file.

    Attributes:
        form: "json" (one document), "array" (the items of a JSON array), "jsonl" (one on each line), "msgpack"
            (frames, one after the other), "parquet" (rows). No name tells that of an array.
        compression: "", ".gz" or ".zst"; Parquet has its own inside.
        column: of Parquet, that holds the documents; None if nobody named one.
    """

    form: Form
    compression: str = ""
    column: str | None = None

    @property
    def suffix(self) -> str:
        """The end of the name of such a file, such as ``.jsonl.gz``."""
        return f".{'json' if self.form == 'array' else self.form}{self.compression}"


def kind_of(name: str, default: Form | None = None, column: str | None = None) -> Kind:
    """Return what a file holds, by its name.

    Args:
        name: a path, a URL, or "-".
        default: the form where the name doesn't tell.
        column: that holds the documents, if these stand in rows.

    Raises:
        FileError: code "form" if neither tells, or the name tells what there isn't.
    """
    base, compression = _split(name)
    dot = base.rfind(".")
    form = _FORMS.get(base[dot:].lower()) if dot >= 0 else None
    form = form or default
    if form is None:
        msg = f"{name}: the name doesn't end with {', '.join(SUFFIXES)}, or {_PACKED}; use --form"
        raise FileError(msg, code="form")
    if form != "parquet":
        return Kind(form, compression)
    if compression:
        msg = f"{name}: Parquet is compressed inside; {compression} around it isn't supported"
        raise FileError(msg, code="form")
    return Kind(form, column=column)


def written_kind(name: str, default: Form, column: str | None = None) -> Kind:
    """Return what a file to write will hold, by its name.

    Args:
        name: a path, a URL, or "-".
        default: the form where the name has no ending.
        column: as for ``kind_of``.

    Raises:
        FileError: code "form" if the name has an ending that says something else.
    """
    base, _ = _split(name)
    ending = PurePosixPath(base.replace("\\", "/")).suffix
    if ending and ending.lower() not in _FORMS:
        msg = f"{name}: can't write a {ending} file; use {', '.join(SUFFIXES)}, or {_PACKED}"
        raise FileError(msg, code="form")
    return kind_of(name, default, column)


def lines_kind(name: str) -> Kind:
    """Return what a file of loss reports, losses or quarantined documents holds: lines, compressed as its name says."""
    return Kind("jsonl", _split(name)[1])


def check_lines(name: str) -> None:
    """Check that a file of loss reports, losses or quarantined documents isn't called what it will not be.

    Raises:
        FileError: code "form" if its name has another ending than that of JSON Lines, or JSON.
    """
    if written_kind(name, "jsonl").form in _BINARY:
        msg = f"{name}: this output is JSON Lines; use .jsonl, or .jsonl with .gz or .zst"
        raise FileError(msg, code="form")


def _split(name: str) -> tuple[str, str]:
    for compression in COMPRESSIONS:
        if name.lower().endswith(compression):
            return name[: -len(compression)], compression
    return name, ""


def check_column(column: str | None, *kinds: Kind) -> None:
    """Check that a column is named of a file that has some.

    Raises:
        FileError: code "form".
    """
    if column is not None and all(kind.form != "parquet" for kind in kinds):
        msg = "--column needs a .parquet file"
        raise FileError(msg, code="form")


def renamed(name: str, kind: Kind) -> str:
    """Return a file name with the suffixes of another kind."""
    base, _ = _split(name)
    dot = base.rfind(".")
    known = dot >= 0 and base[dot:].lower() in _FORMS
    return (base[:dot] if known else base) + kind.suffix


def as_array(kind: Kind) -> Kind:
    """Return a kind whose JSON is an array of many documents."""
    return attrs.evolve(kind, form="array") if kind.form == "json" else kind


def is_pattern(name: str) -> bool:
    """Tell whether a name may stand for several files, if there is none that has it."""
    return any(mark in name for mark in "*?[")


def is_remote(name: str) -> bool:
    """Tell whether a name is a URL, such as ``s3://bucket/key``, rather than a path of this machine."""
    scheme, mark, _ = name.partition("://")
    return bool(mark) and scheme.isalnum()
