"""Documents in a column of a table, converted where the table is: on clusters of Ray, Dask and Spark.

``converting`` and ``restoring`` make what these call. It adds columns of texts. A document that can't be read has null
there, and the reason in a column for errors: no row is lost, and none ends the run.

| library | call |
| --- | --- |
| Ray Data | ``dataset.map_batches(made)``, with batches of any form |
| Dask | ``bag.map(made.row)``, for rows that are dicts |
| Spark | ``frame.mapInArrow(made.each, made.schema(frame.schema))``, or ``mapInPandas`` |
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.api.reading import loads
from agentmsg.api.writing import convert, dumps
from agentmsg.checking.detection import recognize
from agentmsg.errors import AgentMsgError, DecodeError, EncodeError
from agentmsg.fitting.carry import restore
from agentmsg.fitting.loss_reports import dump_losses, load_losses
from agentmsg.optional import extra
from agentmsg.values.text import dump_json, parse_json
from agentmsg.values.types import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@attrs.frozen
class Columns:
    """Adds columns to rows and batches; it can be pickled.

    Attributes:
        read: the columns that are read.
        added: the columns of texts that are added, or replaced; the last one is for errors.
        make: returns the texts of a row but the error, given the values that are read.
    """

    read: tuple[str, ...]
    added: tuple[str, ...]
    make: Callable[..., tuple[str, ...]]

    def row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row with the new columns."""
        return {**row, **self._texts(*(row[name] for name in self.read))}

    def __call__(self, batch: Any) -> Any:
        """Return a batch with the new columns: a dict of columns, a frame of pandas, or a table or batch of Arrow."""
        is_arrow = hasattr(batch, "schema")
        held = [batch.column(name).to_pylist() if is_arrow else list(batch[name]) for name in self.read]
        rows = [self._texts(*values) for values in zip(*held, strict=True)]
        made: dict[str, Any] = {name: [row[name] for row in rows] for name in self.added}
        if not is_arrow:
            return {**batch, **made} if is_mapping(batch) else batch.assign(**made)
        arrow = extra("pyarrow", "parquet", "a batch of Arrow")
        made = {name: arrow.array(texts, arrow.string()) for name, texts in made.items()}
        return cast("Any", type(batch)).from_pydict({name: batch.column(name) for name in batch.schema.names} | made)

    def each(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield batches with the new columns."""
        return map(self, batches)

    def schema(self, schema: Any) -> Any:
        """Return a schema of Spark with the new columns."""
        new = type(schema)([field for field in schema if field.name not in self.added])
        for name in self.added:
            new.add(name, "string")
        return new

    def _texts(self, *values: Any) -> dict[str, str | None]:
        texts: tuple[str | None, ...]
        try:
            texts = *self.make(*values), None
        except AgentMsgError as error:
            texts = *(None for _ in self.added[1:]), f"[{error.code}] {error}"
        return dict(zip(self.added, texts, strict=True))


def converting(
    source: str | None, target: str, *, column: str = "document", into: str = "converted", **options: Any
) -> Columns:
    """Return what converts the documents of a column; it adds them, and the columns ``losses`` and ``error``.

    Args:
        source: their format; None to detect that of each.
        target: the format to write; a binary one has no texts.
        column: the column to read: texts, bytes, or objects.
        into: the column to add.
        options: as for ``convert``.
    """
    return Columns((column,), (into, "losses", "error"), partial(_converted, source, target, options))


def restoring(*, column: str = "converted", losses: str = "losses", into: str = "restored") -> Columns:
    """Return what restores the originals of such a column, in their own format; errors are in ``restored_error``.

    Args:
        column: the column with the converted documents.
        losses: the column with their loss reports.
        into: the column to add; that for errors is called after it.
    """
    return Columns((column, losses), (into, f"{into}_error"), _restored)


def _converted(source: str | None, target: Any, options: Mapping[str, Any], document: Any) -> tuple[str, ...]:
    data = _bytes(document)
    given: Any = source or recognize(data)
    done = cast("Any", convert)(data, given, target, **options)
    report = dump_losses(done.losses, loads(done.document, target), source=given)
    return done.document.decode(), report.decode()


def _restored(document: Any, losses: Any) -> tuple[str, ...]:
    report = load_losses(_bytes(losses))
    source = parse_json(_bytes(losses).partition(b"\n")[0]).get("from")
    history = restore(loads(_bytes(document), report.codec), report)  # type: ignore[arg-type]
    return (dumps(history, source).decode(),)


def _bytes(value: Any) -> bytes:
    # Frames have NaN for null, or pandas' own.
    if value is None or (isinstance(value, float) and isnan(value)) or type(value).__name__ == "NAType":
        msg = "the row has no document: it is null"
        raise DecodeError(msg, code="required")
    if isinstance(value, (str, bytes)):
        return value.encode() if isinstance(value, str) else value
    try:
        return dump_json(value)
    except EncodeError as error:
        if error.code != "type":
            raise
        return dump_json(_plain(value))


def _plain(value: Any) -> Any:
    """Return a value without the arrays of numpy that frames have for lists."""
    if is_mapping(value):
        return {key: _plain(each) for key, each in value.items()}
    held: Any = value.tolist() if hasattr(value, "tolist") else value
    return list(map(_plain, held)) if is_list(held) else held
