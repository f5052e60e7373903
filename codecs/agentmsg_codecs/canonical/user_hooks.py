"""Foreign hooks: those of users, and those that cattrs generates; their errors become typed.

``new_converter`` returns the strict converter whose hooks coerce nothing. The plain path reads and writes a user's
block class field by field: the common fields as for every block, its own by their type annotations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast, get_args

import attrs

from agentmsg import (
    JSON,
    AgentMsgError,
    BaseBlock,
    Block,
    ContentBlock,
    DecodeError,
    EncodeError,
    FrozenDict,
    FrozenList,
    Source,
    TextBlock,
    Tool,
    same,
)
from agentmsg.formats import adopt, dispatch, excerpt, speed
from agentmsg_codecs.canonical.fields import COMMON, REQUIRED, SPECS, Field, Spec
from agentmsg_codecs.canonical.shapes import parse_time

if TYPE_CHECKING:
    from agentmsg_codecs.canonical.engine import Engine
    from agentmsg_codecs.canonical.shapes import Shape

_COMMON = {field.name: field for field in COMMON}
# Names in the model's annotations that its modules don't hold at run time. Free-form JSON is any value.
_NAMES = {"JSON": Any, "Block": Block, "Mapping": Mapping, "Sequence": Sequence}
_EMPTY_TYPES = (Any, JSON, object)
_TOP = 0  # the level of nesting: cattrs knows none


def resolve(cls: type) -> None:
    """Let attrs resolve the annotations of a class if it can."""
    try:
        attrs.resolve_types(cls, localns=_NAMES)
    except (NameError, TypeError, AttributeError):
        return


def _spellings(union: Any) -> tuple[Any, ...]:
    """Return one of our unions as annotated, and without the part that is only for pydantic."""
    return (union, get_args(union)[0])


_BLOCKS = (*_spellings(Block), BaseBlock, ContentBlock)
_TOOLS, _SOURCES = _spellings(Tool), _spellings(Source)


def _is_user_block(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseBlock) and kind is not BaseBlock


def _hook(read: Callable[..., Any], *more: Any) -> Callable[[Any, Any], Any]:
    """Return a function of a value, and perhaps more, as a hook of cattrs, which also takes the type."""

    def hook(value: Any, kind: Any) -> Any:
        return read(value, *more)

    return hook


def _as_it_is(value: Any) -> Any:
    return value


def new_converter(engine: Engine, ours: Mapping[type, tuple[Any, Any]]) -> Any:
    """Return a strict converter that knows our hooks, the unions of the model and the blocks of users."""
    for cls in SPECS:
        resolve(cls)
    converter = dispatch.strict_converter()

    def user_reader(cls: type) -> Callable[[Any, Any], Any]:
        return _hook(engine.plain_hooks(cls)[0], _TOP)

    def user_writer(cls: type) -> Callable[[Any], Any]:
        return engine.plain_hooks(cls)[1]

    converter.register_structure_hook_factory(_is_user_block, user_reader)
    converter.register_unstructure_hook_factory(_is_user_block, user_writer)
    for kinds, read in ((_BLOCKS, engine.read_block), (_TOOLS, engine.read_tool), (_SOURCES, engine.read_source)):
        converter.register_structure_hook_func(kinds.__contains__, _hook(read, _TOP))
        converter.register_unstructure_hook_func(kinds.__contains__, engine.write_any)
    converter.register_structure_hook_func(_EMPTY_TYPES.__contains__, _hook(adopt))
    converter.register_structure_hook(datetime, _hook(parse_time))
    converter.register_unstructure_hook(datetime, datetime.isoformat)
    for frozen in (FrozenDict, FrozenList):
        converter.register_structure_hook(frozen, _hook(dispatch.freeze))
        converter.register_unstructure_hook(frozen, _as_it_is)
    for cls, (read, write) in ours.items():
        converter.register_structure_hook(cls, read)
        converter.register_unstructure_hook(cls, write)
    return converter


def as_hook(shape: Shape, spec: Spec, read: Callable[[Any, int], Any]) -> Callable[[Any, Any], Any]:
    """Return a reader as a hook of cattrs; it is called for one class, so it checks the tag itself."""

    def hook(native: Any, kind: Any) -> Any:
        is_text = spec.cls is TextBlock and type(native) is str
        if spec.number is not None and spec.key == "type" and not is_text:
            tag = shape.tag(native)
            if tag != shape.spec_tag(spec):
                raise DecodeError(f"{excerpt(tag)} isn't a {spec.cls.__name__}", code="schema", path=("type",))
        return read(native, 0)

    return hook


def user_spec(cls: type, tag: str) -> Spec:
    """Return the spec of a user's block class: its own fields by their types, then the common ones."""
    resolve(cls)
    own: list[Field] = []
    for field in attrs.fields(cls):
        name = field.alias or field.name
        if not field.init or name in _COMMON:
            continue
        if name == "type":
            raise EncodeError(f'{cls.__name__} has a field "type", which is the key of its tag', code="key")
        own.append(_user_field(name, field))
    return Spec(cls, tag, None, (*own, *COMMON))


def _user_field(name: str, field: Any) -> Field:
    kind = "json" if field.type is None or isinstance(field.type, str) else "typed"
    default = field.default
    if default is attrs.NOTHING:
        return Field(name, kind, REQUIRED, field.type)
    if isinstance(default, attrs.Factory):  # type: ignore[arg-type] # typed as a function, but a class
        if default.takes_self:
            return Field(name, kind, UNKNOWN, field.type)
        default = default.factory()
    return Field(name, kind, default, field.type)


UNKNOWN: Any = object()


def foreign_reader(hook: Callable[[Any, Any], Any], cls: type) -> Callable[[Any, int], Any]:
    """Return a hook of cattrs as a reader: its errors become one DecodeError with path and code."""

    def read(native: Any, level: int) -> Any:
        try:
            return hook(native, cls)
        except Exception as error:
            raise decode_error(error) from error

    return read


def foreign_writer(hook: Callable[[Any], Any], cls: type) -> Callable[[Any], Any]:
    """Return a hook of cattrs as a writer; its errors become an EncodeError."""

    def write(obj: Any) -> Any:
        try:
            return hook(obj)
        except AgentMsgError:
            raise
        except Exception as error:
            msg = f"the hook of {cls.__name__} raised {type(error).__name__}: {error}"
            raise EncodeError(msg, code="type") from error

    return write


def proven_writer(write: Callable[[Any], Any], read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the writer of a user's class, which refuses what isn't the same when it is read back.

    A class without validators holds values that its types, or its hooks, don't allow.
    """

    def proven(obj: Any) -> Any:
        native = write(obj)
        name = type(obj).__name__
        try:
            back = read(speed.plain_copy(native))
        except AgentMsgError as error:
            msg = f"{name} could not be read back: {error.message}"
            raise EncodeError(msg, code=error.code, path=error.path) from error
        for field in attrs.fields(cast("Any", type(obj))):
            value = getattr(obj, field.name)
            if field.eq and field.name != "notes" and not same(getattr(back, field.name, None), value):
                msg = f"{name} would not come back the same: {excerpt(value)} is no value for this field"
                raise EncodeError(msg, code="type", path=(field.alias or field.name,))
        return native

    return proven


def decode_error(error: BaseException) -> AgentMsgError:
    """Return an error of a hook as a DecodeError; of a group take the first, with the path from cattrs' notes."""
    path: list[str | int] = []
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseException", cast("Any", error).exceptions[0])
        path += _place(error)
    if isinstance(error, AgentMsgError):
        return cast("AgentMsgError", DecodeError(error.message, code=error.code, path=(*path, *error.path)))
    if isinstance(error, KeyError):
        name = str(error.args[0])
        path = path if path[-1:] == [name] else [*path, name]
        return DecodeError(f"{name} is missing", code="required", path=path)
    # cattrs takes a value apart without checking its type, so a wrong one may raise AttributeError.
    code = "type" if isinstance(error, (TypeError, AttributeError)) else "schema"
    return DecodeError(str(error) or type(error).__name__, code=code, path=path)


def _place(error: BaseException) -> list[str | int]:
    for note in getattr(error, "__notes__", ()):
        place = getattr(note, "name", getattr(note, "index", None))
        if place is not None:
            return [place]
    return []


def structured(converter: Any, value: Any, kind: Any) -> Any:
    """Read a plain value as a type that a user's class names."""
    try:
        return converter.structure(value, kind)
    except Exception as error:
        raise decode_error(error) from error


def unstructured(converter: Any, value: Any, kind: Any) -> Any:
    """Write a value of a user's class as plain JSON data."""
    try:
        return speed.plain_copy(converter.unstructure(value, None if kind in _EMPTY_TYPES else kind))
    except AgentMsgError as error:
        raise EncodeError(error.message, code=error.code, path=error.path) from None
    except Exception as error:
        raise EncodeError(f"a value of {type(value).__name__} cannot be written: {error}", code="type") from error
