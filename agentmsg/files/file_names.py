"""What a file's name says about its content; nothing is opened here."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal, TypeAlias

import attrs

from agentmsg.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Mapping

Form: TypeAlias = Literal["array", "json", "jsonl", "msgpack", "parquet", "sqlite", "yaml"]
# The name that means stdin or stdout.
STANDARD = "-"
# The name of a column that means the whole row.
WHOLE = "*"
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
_FORMS: Mapping[str, Form] = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".db": "sqlite",
    ".msgpack": "msgpack",
    ".parquet": "parquet",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".yaml": "yaml",
    ".yml": "yaml",
}
# Forms that are only read.
READ_ONLY: tuple[Form, ...] = ("sqlite", "yaml")
# Forms that aren't lines of text.
_BINARY = ("msgpack", "parquet")
SUFFIXES = tuple(suffix for suffix, form in _FORMS.items() if form not in READ_ONLY)
_PACKED = f"JSON and MessagePack also with {', '.join(COMPRESSIONS)}"


@attrs.frozen
class Kind:
    """How a file holds documents.

    Attributes:
        form: "json" (one document), "array" (the items of a JSON array), "jsonl" (one per line), "msgpack" (one frame
            after the other), "parquet" (rows), "sqlite" (tables of a framework, only read), "yaml" (one document, only
            read). A name can't express "array".
        compression: one of COMPRESSIONS, or empty; Parquet compresses internally.
        column: the Parquet column that holds the documents; None if none was named, and "*" if the keys of documents
            are the columns.
    """

    form: Form
    compression: str = ""
    column: str | None = None

    @property
    def suffix(self) -> str:
        """The suffix of such a file's name, such as ``.jsonl.gz``."""
        return f".{'json' if self.form == 'array' else self.form}{self.compression}"


def kind_of(name: str, default: Form | None = None, column: str | None = None, *, form: Form | None = None) -> Kind:
    """Return how a file holds documents, by its name.

    Args:
        name: a path, a URL, or "-".
        default: the form if the name doesn't say.
        column: the column that holds the documents, if they are in rows.
        form: the form, whatever the name says.

    Raises:
        FileError: code "form" if neither says, or if the name says something that doesn't exist.
    """
    base, compression = _split(name)
    dot = base.rfind(".")
    named = _FORMS.get(base[dot:].lower()) if dot >= 0 else None
    # Only JSON has arrays.
    form = named if form == "array" and named not in (None, "json") else form or named or default
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
    """Return how a file to write will hold documents, by its name.

    Args:
        name: a path, a URL, or "-".
        default: the form if the name has no suffix.
        column: as for ``kind_of``.

    Raises:
        FileError: code "form" if the name has another suffix.
    """
    base, _ = _split(name)
    ending = PurePosixPath(base.replace("\\", "/")).suffix
    if ending and ending.lower() not in SUFFIXES:
        msg = f"{name}: can't write a {ending} file; use {', '.join(SUFFIXES)}, or {_PACKED}"
        raise FileError(msg, code="form")
    return kind_of(name, default, column)


def lines_kind(name: str) -> Kind:
    """Return the kind of a file of loss reports, losses or quarantined documents: lines, perhaps compressed."""
    return Kind("jsonl", _split(name)[1])


def check_lines(name: str) -> None:
    """Check that the name of a file of loss reports, losses or quarantined documents fits its content.

    Raises:
        FileError: code "form" if its suffix is neither that of JSON Lines nor of JSON.
    """
    if written_kind(name, "jsonl").form in _BINARY:
        msg = f"{name}: this output is JSON Lines; use .jsonl, or .jsonl with {', '.join(COMPRESSIONS)}"
        raise FileError(msg, code="form")


def _split(name: str) -> tuple[str, str]:
    for compression in COMPRESSIONS:
        if name.lower().endswith(compression):
            return name[: -len(compression)], compression
    return name, ""


def check_column(column: str | None, *kinds: Kind) -> None:
    """Check that a column is named only if a file has columns.

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


def told_name(name: str) -> str:
    """Return a file's name for JSON: what isn't UTF-8 in it is escaped, as messages have it."""
    return name.encode(errors="backslashreplace").decode()


def is_pattern(name: str) -> bool:
    """Whether a name may be a pattern for several files, if no file has that name."""
    return any(mark in name for mark in "*?[")


def is_remote(name: str) -> bool:
    """Whether a name is a URL, such as ``s3://bucket/key``, and not a local path."""
    scheme, mark, _ = name.partition("://")
    return bool(mark) and scheme.isalnum()
