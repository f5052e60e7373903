"""Content parts and blocks, by the forms of v1 and of its dialects.

A part is read by the first form with its tag that accepts it. A block is written as v1, or as Anthropic has its own
parts, unless it is marked with another dialect that still says all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import attrs

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    Native,
    Parts,
    Shape,
    Unreadable,
    adopt,
    blocks,
    dispatch,
    is_mapping,
    is_marked,
    is_object,
    mark_of,
    marked,
    natives,
    note_of,
    object_at,
    same_document,
    speed,
    spelling,
)
from agentmsg.formats.forms import Described
from agentmsg_codecs.langchain.blocks.dialects import (
    ALL_FORMS,
    MARKS,
    OF_V1,
    QUICK,
    RESULT,
    V1_OF_TAG,
    Entry,
    is_of,
    quick_reader,
    says_all_of,
)
from agentmsg_codecs.langchain.blocks.providers import DIALECTS, OLD_MARKS, is_served
from agentmsg_codecs.langchain.blocks.v1_forms import FORMS, careful, of_call, result_shape
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, OPENAI

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import cattrs


# -- `non_standard` parts ---------------------------------------------------------------------------------------------
# Data, sources, compactions, and your own block classes are supported as
# ``{"type": "non_standard", "value": {"type": <our tag>, <fields>}}``: the value is the block's canonical form. cattrs
# generates the hooks for these values, under strict hooks for the primitive types.


# The classes that v1 has parts for.
V1_CLASSES = (
    am.TextBlock, am.ThinkingBlock, am.RefusalBlock, am.ImageBlock, am.AudioBlock, am.VideoBlock, am.FileBlock,
    am.ApprovalResponseBlock, am.ToolUseBlock, am.ToolResultBlock,
)  # fmt: skip
# Models read parts of a message: one that none of them knows isn't sent.
_V1 = frozenset({*V1_CLASSES, am.NativeBlock, am.ToolsBlock, am.ApprovalRequestBlock})
_NOTES = frozenset({"notes"})
_LEFT_OUT = _NOTES | {"extras"}
_APART = frozenset({"type", "extras"})


def is_non_standard(cls: type) -> bool:
    """Whether blocks of a class are supported as `non_standard`."""
    return cls in blocks.BLOCK_TAGS and cls not in _V1


def _float(value: Any, _: Any) -> Any:
    if type(value) is not float:
        raise Unreadable  # a whole number would be written as one
    return value


def _is_free_form(kind: Any) -> bool:
    return kind is Any or "JSON" in str(kind) or (isinstance(kind, str) and "None | bool" in kind)


def non_standard_block(value: Native, converter: cattrs.Converter) -> Any:
    """Return the block that a `non_standard` value is the canonical form of."""
    tag = value.get("type")
    cls: Any = next((cls for cls, name in blocks.BLOCK_TAGS.items() if name == tag and is_non_standard(cls)), None)
    if cls is None:
        raise Unreadable
    own: Any = value.get("extras")
    # The only unknown fields are those of Anthropic's own blocks, if there are any.
    if "extras" in value and not (is_object(own) and own.keys() == {ANTHROPIC} and own[ANTHROPIC]):
        raise Unreadable
    if own and not is_object(own[ANTHROPIC]):
        raise Unreadable
    try:
        block = converter.structure({key: item for key, item in value.items() if key not in _APART}, _resolved(cls))
        return block.evolve(extras=own) if own else block
    except Exception:  # noqa: BLE001 - cattrs and foreign classes raise what they like
        raise Unreadable from None


def write_non_standard(block: Any, converter: cattrs.Converter) -> Native:
    """Return the part of a block that v1 has no part for."""
    _resolved(dispatch.class_of(block))
    bare = block.evolve(extras={}, notes={})
    fields = cast("Native", speed.plain_copy(thaw(converter.unstructure(bare))))
    value = {key: item for key, item in fields.items() if key not in _LEFT_OUT and key != "type"}
    # Unknown fields are keys of the part; those of Anthropic's own blocks belong to the value.
    own = natives.extras_of(block, ANTHROPIC)
    extras = {"extras": {ANTHROPIC: own}} if own else {}
    return {"type": "non_standard", "value": {"type": blocks.BLOCK_TAGS[type(block)], **value, **extras}}


def _resolved(cls: Any) -> Any:
    """Return a class whose annotations are types; cattrs doesn't know the model's names."""
    names = {"JSON": Any, "Block": am.BaseBlock, "Mapping": Mapping, "Any": Any}
    try:
        # Done once for each class: attrs remembers it.
        attrs.resolve_types(cls, localns=names)
    except NameError:
        raise Unreadable from None
    return cls


def make_converter() -> cattrs.Converter:
    """Return the converter with the hooks for values of `non_standard`, and everything inside."""
    # Loaded when a first document is read or written.
    from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override  # noqa: PLC0415

    for cls in blocks.BLOCK_TAGS:
        _resolved(cls)
    converter: cattrs.Converter = dispatch.strict_converter()
    converter.register_structure_hook(float, _float)
    converter.register_structure_hook_func(_is_free_form, lambda value, _: dispatch.freeze(value))
    converter.register_unstructure_hook_func(_is_free_form, lambda value: value)

    def options(cls: Any) -> dict[str, Any]:
        kind = cls if isinstance(cls, type) else object
        names = _LEFT_OUT if issubclass(kind, am.BaseBlock) else _NOTES if issubclass(kind, blocks.Noted) else ()
        return {name: override(omit=True) for name in names} | {"_cattrs_use_alias": True}

    def unstructure(cls: Any) -> Any:
        return make_dict_unstructure_fn(_resolved(cls), converter, _cattrs_omit_if_default=True, **options(cls))

    def structure(cls: Any) -> Any:
        return make_dict_structure_fn(_resolved(cls), converter, _cattrs_forbid_extra_keys=True, **options(cls))

    converter.register_unstructure_hook_factory(attrs.has, unstructure)
    converter.register_structure_hook_factory(attrs.has, structure)
    return converter


_OBJECT: Any = dict
_BARE = adopt({FAMILY: {"/shape": "str"}})
_REFUSED = (Unreadable, AgentMsgError)
# The providers of a signature that names none.
_USUAL_PROVIDERS = frozenset({None, ANTHROPIC})
_NON_STANDARD: Mapping[str | None, frozenset[str]] = {"non_standard": frozenset({"type", "value", "cache_control"})}
_USUAL_DIALECTS: list[Entry] = [(dialect.is_usual, dialect.name) for dialect in DIALECTS.values() if dialect.tells]
# The classes that such parts are of.
_IN_DIALECTS = frozenset({am.TextBlock, am.ImageBlock, am.VideoBlock, am.FileBlock, am.ToolUseBlock})
# How the marks of parts that LangChain has wrapped begin.
_WRAPPED = "non_standard "


_is_only_data = speed.says_only(am.DataBlock, "data")


def _is_of_server(block: Any) -> bool:
    return bool(block.kind == "server")


def _is_signed_elsewhere(block: Any) -> bool:
    return block.signature is not None and block.signature.provider not in _USUAL_PROVIDERS


SERVER = frozenset({am.ToolUseBlock, am.ToolResultBlock})
_ATTRIBUTED = frozenset({"reasoning", "server_tool_call", "server_tool_result"})
_UPLOADED = "input_image_id"
_says_upload = says_all_of(next(form for form in ALL_FORMS if form.name == _UPLOADED))


def _is_kept_by_openai(block: Any) -> bool:
    """Whether an image is kept by OpenAI, whose client refuses LangChain's part for it."""
    source = block.source
    return type(source) is am.FileSource and source.provider == OPENAI and _says_upload(block)


class ContentParts(Parts):
    """Reads and writes content parts.

    Attributes:
        quick: by tag, the readers of usual parts; they return None for any other part.
        quick_writers: by class, the writers of blocks with notes; they return None if a note is more than a mark.
        described: the forms.
    """

    def __init__(self) -> None:
        self.described = Described(FAMILY, ALL_FORMS, {}, chosen=self._chosen)
        self._read_as, self._write_as = self.described.names.readers, self.described.names.writers
        # By tag, the forms that read such parts.
        self._of_tag: dict[Any, list[Entry]] = {}
        # By class, the forms that blocks are usually written in, and for users' hooks; by class and mark, the others.
        self._ours: dict[Any, list[Entry] | None] = speed.Later(self._usual_of)
        self._usual: dict[Any, list[Entry] | None] = speed.Later(self._ours.__getitem__)
        self._named: dict[tuple[Any, Any], list[Entry] | None] = speed.Later(self._named_of)
        for form in ALL_FORMS:
            self._of_tag.setdefault(form.tag, []).append((form.fits, form.name))
        result = result_shape(self.read, lambda block: _with_extras(self._plain(block), block))
        shapes = (*map(self._shape, V1_CLASSES[:-1]), result)
        super().__init__(FAMILY, shapes)
        self._read_as[RESULT] = partial(careful, result)
        self._write_as.update({RESULT: result.write, "signed": self._write_signed})
        self._of_tag[RESULT] = [(None, RESULT)]
        for dialect in DIALECTS.values():
            self._read_as[dialect.name], self._write_as[dialect.name] = dialect.read, dialect.write
            for tag, owns in dialect.owns.items():
                self._of_tag.setdefault(tag, []).insert(0, (owns, dialect.name))
        self._named[am.ToolResultBlock, RESULT] = [(_is_of_server, RESULT)]
        self._named[am.ThinkingBlock, "reasoning"] = [(_is_signed_elsewhere, "signed")]
        self._special: dict[Any, Callable[[Native, str | None], Any]] = {
            "reasoning": self._read_signed,
            "server_tool_call": self._read_of_server,
            RESULT: self._read_of_server,
            "non_standard": self._read_non_standard,
        }
        self._hooked: set[type[Any]] = set()
        self.quick = speed.Later(self._quick_reader)
        self.quick_writers: dict[Any, Any] = dict.fromkeys((*V1_CLASSES, am.CompactionBlock), self._write_marked)

    def _shape(self, cls: type[Any]) -> Shape:
        """Return the shape of a class in v1, which a user's hook may replace."""

        def read(part: Native, _: Any = None) -> Any:
            return self._of_forms(part, V1_OF_TAG[part.get("type")])

        def write(block: Any) -> Any:
            name = _first(self._ours[cls] or (), block)
            if name is None:
                raise Unreadable("no part says this")
            return self._write_as[name](block)

        return Shape(cls=cls, keys={form.tag: form.keys for form in FORMS if form.cls is cls}, read=read, write=write)

    def _usual_of(self, cls: type[Any]) -> list[Entry] | None:
        """Return the forms that the blocks of a class are usually written in; None if there is none."""
        own = _USUAL_DIALECTS if cls in _IN_DIALECTS else []
        unmarked = [form for form in ALL_FORMS if form.cls is cls and "shape" not in form.notes]
        usual: list[Entry] = [*own, *((None if form.is_other else is_of(form), form.name) for form in unmarked)]
        if cls is am.ImageBlock:
            usual.insert([name for _, name in usual].index("image_by_id"), (_is_kept_by_openai, _UPLOADED))
        return [*usual, (None, RESULT)] if cls is am.ToolResultBlock else usual or None

    def _named_of(self, named: tuple[type[Any], Any]) -> list[Entry] | None:
        """Return the forms of a class with a mark; None if there is none."""
        cls, mark = named
        if (dialect := OLD_MARKS.get(mark, mark)) in DIALECTS:
            return [(None, dialect)]
        own = [form for form in ALL_FORMS if form.cls is cls and mark is not None]
        forms = [form for form in own if form.notes.get("shape", MARKS.get(form.name)) == mark]
        return [(says_all_of(form), form.name) for form in forms] or None

    def new_converter(self) -> cattrs.Converter:
        """Return a converter that also reads and writes the values of `non_standard`."""
        return make_converter()

    def take_hooks(self, shapes: Iterable[Shape]) -> None:
        """Read and write the classes of users' hooks by these."""
        for shape in shapes:
            self._hook(shape)

    def _hook(self, shape: Shape) -> None:
        """Read and write the blocks of a class by a user's hook, instead of as v1."""
        name = f"hook {shape.cls.__name__}"
        self._hooked.add(shape.cls)
        self._usual[shape.cls] = [(None, name)]
        self._write_as[name] = shape.write
        self._read_as[name] = partial(careful, shape)
        for tag in shape.keys:
            rest = [entry for entry in self._of_tag.get(tag, ()) if entry[1] not in OF_V1]
            self._of_tag[tag] = [(None, name), *rest]

    # -- reading ------------------------------------------------------------------------------------------------------

    def _quick_reader(self, tag: Any) -> Callable[[Native], Any] | None:
        """Return the reader of usual parts with a tag; None if there is none, or a user's hook reads them."""
        if tag not in QUICK or QUICK[tag] in self._hooked:
            return None
        general = partial(self._of_forms, entries=self._of_tag[tag])
        return quick_reader(tag, self._read_as[tag] or general)

    def read(self, part: Any, provider: str | None = None) -> Any:
        """Return the block of a part.

        Args:
            part: the part.
            provider: of the message, if it names one: that of its signatures and server tools.
        """
        if type(part) is not _OBJECT:
            return v1.make_text(text=part, notes=_BARE) if type(part) is str else natives.native_part(part, FAMILY)
        tag: Any = part.get("type")
        if type(tag) is not str and tag is not None:
            return natives.native_part(part, FAMILY)
        extras = part.get("extras")
        has_hint = type(extras) is _OBJECT and "cache_control" in extras
        if has_hint or "prompt_cache_breakpoint" in part or "filename" in part or "metadata" in part:
            block = self._moved(part, provider)
            if block is not None:
                return block
        try:
            special = self._special.get(tag)
            block = None if special is None else special(part, provider)
            if block is None:
                block = self._of_forms(part, self._of_tag.get(tag, ()))
        except _REFUSED:
            return natives.native_part(part, FAMILY)
        if type(block) is am.AudioBlock and v1.is_sound(block):
            return marked(block, FAMILY, shape="audio")  # new ones stand elsewhere
        return of_call(block) if type(block) is am.ToolUseBlock else block

    def _of_forms(self, part: Native, entries: Sequence[Entry]) -> Any:
        """Return the block of a part by the first form that reads it.

        Raises:
            Unreadable: if none does.
        """
        for fits, name in entries:
            if fits is None or fits(part):
                try:
                    return self._read_as[name](part)
                except _REFUSED:
                    continue
        raise Unreadable

    def _moved(self, part: Native, provider: str | None) -> Any:
        """Return the block of a part that has something in another place than v1; None for any other part."""
        for mark, there, back in v1.MOVES:
            moved = there(part)
            if moved is None:
                continue
            found = self.read(moved, provider)
            if type(found) is not am.NativeBlock and same_document(back(self._spelt(found)), part):
                return marked(found, FAMILY, **{mark: True})
        return None

    def _read_signed(self, part: Native, provider: str | None) -> Any:
        """Read thinking with a signature of the message's provider."""
        extras = part.get("extras")
        if provider in _USUAL_PROVIDERS or not is_object(extras):
            return None
        if type(extras.get("signature")) is not str or "signature_provider" in extras:
            return None
        block = self._of_forms(part, self._of_tag["reasoning"])
        signature = v1.make_signature(provider, block.signature.value)
        return marked(block.evolve(signature=signature), FAMILY, shape="reasoning")

    def _read_of_server(self, part: Native, provider: str | None) -> Any:
        """Read a call or result of a server tool: one of Anthropic's that langchain-core has translated, or v1."""
        tag: str = part["type"]
        if provider == ANTHROPIC and is_served(part, provider):
            try:
                return DIALECTS["v1-anthropic"].read(part)
            except Unreadable:
                pass
        return self._of_forms(part, self._of_tag[tag])

    def _read_non_standard(self, part: Native, _: str | None) -> Any:
        """Read what v1 has no part for: our canonical form, or a part that LangChain has wrapped."""
        inner = object_at(part, "value")

        def read(native: Native, _: Any = None) -> Any:
            return non_standard_block(object_at(native, "value"), self.converter)

        try:
            return careful(Shape(cls=am.BaseBlock, keys=_NON_STANDARD, read=read, write=self._plain), part)
        except Unreadable:
            return self._read_wrapped(part, inner)

    def _read_wrapped(self, part: Native, inner: Native) -> Any:
        tag: Any = inner.get("type")
        if type(tag) is not str and tag is not None:
            raise Unreadable
        entries = [entry for entry in self._of_tag.get(tag, ()) if entry[1] not in OF_V1 or entry[1] == "cited"]
        block = self._of_forms(inner, entries)
        name = self._name_of(block) or ""
        mark = mark_of(block, FAMILY, "/shape") or MARKS.get(name, name)
        is_odd = FAMILY in block.extras or any(key[0] != "/" for key in note_of(block, FAMILY))
        if is_odd or (type(block) is am.ToolUseBlock and block.kind == "function"):
            raise Unreadable
        rest = {key: part[key] for key in part if key not in ("type", "value")}
        found = marked(block, FAMILY, shape=f"{_WRAPPED}{mark}")
        found = found.evolve(extras={**found.extras, FAMILY: adopt(rest)}) if rest else found
        if not same_document(self._spelt(found), part):
            raise Unreadable
        return found

    def read_inside(self, block: Any) -> Any:
        """Return a block that was read in a tool message: JSON stands there as Bedrock's client takes it."""
        if type(block) is am.DataBlock:
            return marked(block, FAMILY, shape="value")
        value: Any = block.value if type(block) is am.NativeBlock and block.codec == FAMILY else None
        is_json = is_mapping(value) and value.keys() == {"type", "json"} and value["type"] == "json"
        return am.DataBlock(value["json"]) if is_json else block

    # -- writing ------------------------------------------------------------------------------------------------------

    def write_inside(self, block: Any) -> Any:
        """Return the part of a block in a tool message."""
        is_json = type(block) is am.DataBlock and not block.notes and _is_only_data(block)
        return {"type": "json", "json": block.data} if is_json else self.write(block)

    def write(self, block: Any) -> Any:
        """Return the part of a block."""
        return self._spelt(block) if block.notes or block.extras else self._plain(block)

    def write_for(self, block: Any, provider: Any) -> Any:
        """Return the part of a block in an answer of a provider; it has its own, if that would be taken for it."""
        return self.attributed(block, self.write(block), provider)

    def attributed(self, block: Any, part: Any, provider: Any) -> Any:
        """Return a part with its provider, if the message's provider would be taken for it."""
        if not is_mapping(part) or part.get("type") not in _ATTRIBUTED:
            return part
        if type(block) is am.ThinkingBlock:
            if block.signature is None or provider in (None, ANTHROPIC, block.signature.provider):
                return part
            name, owner = "signature_provider", block.signature.provider
        elif type(block) in SERVER and block.provider is None and is_served(part, provider):
            if am.same(self.read(thaw(part), provider), block):
                return part  # it reads as the block whatever the message's provider is
            name, owner = "provider", None
        else:
            return part
        extras: Any = part.get("extras")
        extras = extras if is_object(extras) else {}
        return part if name in extras else {**part, "extras": {**extras, name: owner}}

    def _name_of(self, block: Any) -> str | None:
        """Return the name of the form that a block is usually written in; None if v1 has no part for it."""
        return _first(self._usual[block.__class__] or (), block)

    def _chosen(self, block: Any) -> str:
        """Return the name of the form that a block is written in: by its mark, or else as usual."""
        entries = self._named[block.__class__, mark_of(block, FAMILY, "/shape")] or ()
        marked_so = _first([entry for entry in entries if entry[1] in self.described.forms], block)
        return marked_so or cast("str", self._name_of(block))

    def _plain(self, block: Any) -> Any:
        """Return the part of a block as it is usually written, without its unknown fields."""
        # Most parts are written here: to call ``_name_of`` takes as long as to write a text.
        for test, name in self._usual[block.__class__] or ():
            if test is None or test(block):
                return self._write_as[name](block)
        return block.value if type(block) is am.NativeBlock else write_non_standard(block, self.converter)

    def _write_marked(self, block: Any) -> Native | None:
        """Return the part of a block whose only note is a mark; None for any other block."""
        note = block.notes.get(FAMILY)
        if block.extras or len(block.notes) > 1 or not is_mapping(note) or len(note) > 1:
            return None
        return self._in_shape(block, note.get("/shape"))

    def _in_shape(self, block: Any, mark: Any) -> Native | None:
        """Return the part of a block in the dialect of a mark; None if that doesn't say all of it."""
        if type(mark) is not str:
            return None
        name = _first(self._named[block.__class__, mark] or (), block)
        if name is not None:
            try:
                return cast("Native", self._write_as[name](block))
            except Unreadable:
                return None
        if not mark.startswith(_WRAPPED):
            return None
        own = mark.removeprefix(_WRAPPED)
        inner = self._in_shape(block, own)
        if inner is None:
            # As usual, unless that is another form by now.
            usual = self._name_of(block)
            if usual is None or MARKS.get(usual, usual) != own:
                return None
            inner = self._write_as[usual](block)
        return {"type": "non_standard", "value": inner}

    def _write_signed(self, block: Any) -> Native:
        own = v1.make_signature(ANTHROPIC, block.signature.value)
        plain: Native = self._plain(block.evolve(signature=own))
        return plain

    def _spelt(self, block: Any) -> Any:
        """Return the part of a block with its unknown fields, in the noted spelling."""
        if type(block) is am.NativeBlock:
            return block.value
        if not block.notes:
            return _with_extras(self._plain(block), block)
        note = note_of(block, FAMILY)
        mark = note.get("/shape")
        if mark == "str" and type(block) is am.TextBlock and am.same(block, v1.make_text(text=block.text)):
            return block.text
        plain = self._in_shape(block, mark)
        if plain is None:
            plain = self._plain(block)
        if all(key[:1] == "/" for key in note):
            native = _with_extras(plain, block)
        else:
            provider = provider_of(block)
            native = spelling.put_back(block, plain, family=FAMILY, read=lambda part: self.read(thaw(part), provider))
        for mark, _, back in v1.MOVES:
            if is_marked(block, FAMILY, f"/{mark}"):
                native = back(native) or native
        return native


def _with_extras(plain: Any, block: Any) -> Any:
    extras = natives.extras_of(block, FAMILY) if block.extras else None
    return {**plain, **{key: extras[key] for key in extras if key not in plain}} if extras else plain


def _first(entries: Sequence[Entry], block: Any) -> str | None:
    """Return the name of the first form that a block may be written in; None if there is none."""
    for test, name in entries:
        if test is None or test(block):
            return name
    return None


def provider_of(block: Any) -> str | None:
    """Return the provider of messages in which the part of a block that names none reads as the block."""
    if type(block) is am.ThinkingBlock:
        return None if block.signature is None else block.signature.provider
    return block.provider if type(block) in SERVER else None
