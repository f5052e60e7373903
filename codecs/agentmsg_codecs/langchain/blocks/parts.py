"""Content parts to blocks and back: the forms of v1 and of its dialects at work.

A part is read by the first form of its tag that takes it. It is written as v1, or as Anthropic has its own; unless the
block is marked with the name of another dialect, which still says all of it.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

import agentmsg as am
import agentmsg_codecs.langchain.blocks.non_standard as non_standard
import agentmsg_codecs.langchain.blocks.v1 as v1
import agentmsg_codecs.langchain.blocks.v1_calls as v1_calls
import agentmsg_codecs.langchain.blocks.v1_results as v1_results
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    Native,
    Parts,
    Shape,
    Unreadable,
    adopt,
    is_mapping,
    is_marked,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    note_of,
    object_at,
    plain_copy,
    same_document,
    spelling,
)
from agentmsg.formats.dispatch import hook_table
from agentmsg.formats.forms import Described, Hatch
from agentmsg.formats.forms.form import absent_of
from agentmsg.lazy import once
from agentmsg_codecs.langchain.blocks.anthropic import ANY_RESULT, LISTED, OWN, TOOLS
from agentmsg_codecs.langchain.blocks.anthropic_v1 import SHAPES, USE, is_of_anthropic
from agentmsg_codecs.langchain.blocks.dialects import DIALECTS, NESTED, SUMMARY
from agentmsg_codecs.langchain.blocks.moves import MOVES
from agentmsg_codecs.langchain.blocks.non_standard import V1_CLASSES
from agentmsg_codecs.langchain.blocks.v1_forms import FORMS
from agentmsg_codecs.langchain.blocks.v1_results import result_shape
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, INNER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import cattrs

    from agentmsg.formats.forms import Form


_make_native = maker(am.NativeBlock)
_OBJECT: Any = dict
_BARE = adopt({FAMILY: {"/shape": "str"}})
_REFUSED = (Unreadable, AgentMsgError)
_RAISED = (*_REFUSED, AttributeError, LookupError, TypeError, ValueError)
# Of whom a signature is of which nothing is told.
_USUAL_PROVIDERS = frozenset({None, ANTHROPIC})
_NONE = frozenset[str]()
_ODD = frozenset({"id", "cache_control", "extras"})
_NON_STANDARD = {"non_standard": frozenset({"type", "value", "cache_control"})}
# What a form's own notes do not say: by form, the mark of its blocks.
_MARKS = {
    "cited": "citations", "text": "annotations", "invalid_tool_call": "invalid_tool_call", "used": "tool_use",
    "server_tool_call_chunk": "server_tool_call_chunk", "server_tool_call": "server_tool_call",
    "document_blocks": "document-blocks", "cited_document": "document", **dict.fromkeys(TOOLS, "tool_result"),
}  # fmt: skip
_RESULT = "server_tool_result"
# The mark of what LangChain has wrapped begins so.
_WRAPPED = "non_standard "
# What is read is tried in this order: what isn't told by its keys alone stands behind.
_FORMS = (USE, SUMMARY, *FORMS, *DIALECTS, *OWN)
_V1_OF_TAG = {form.tag: [(other.fits, other.name) for other in FORMS if other.tag == form.tag] for form in FORMS}
_OF_V1 = frozenset({_RESULT, *(form.name for form in FORMS)})
# What some form has a meaning for: an unknown field of such a name may be read as that.
_MAY_MEAN = frozenset({"index", "prompt_cache_breakpoint", "value", *v1_results.KEYS}).union(
    *(form.keys for form in _FORMS)
)
_MAY_MEAN_INSIDE = v1.claimed(v1_calls.IN_EXTRAS) | frozenset(
    {
        *v1_results.IN_EXTRAS, "artifact", "block_type", "cache_control", "caller", "content", "context", "detail",
        "filename", "raw_input", "redacted", "retrieved_at", "server_name", "structured", "title", "tool_name",
        "toolset_name", "transcript",
    }
)  # fmt: skip
# The parts that messages read at once, by their class, and what these may not hold.
_QUICK = {
    "text": am.TextBlock, "reasoning": am.ThinkingBlock, "image": am.ImageBlock, "audio": am.AudioBlock,
    "video": am.VideoBlock, "file": am.FileBlock, "thinking": am.ThinkingBlock, "image_url": am.ImageBlock,
    "tool_use": am.ToolUseBlock,
}  # fmt: skip
_MOST_KEYS = 4
_NOT_QUICK = frozenset(
    {"annotations", "cache_control", "caller", "citations", "filename", "metadata", "source", "summary", "toolset_name"}
)

_Entry: TypeAlias = "tuple[Callable[[Any], bool] | None, str]"


# -- what a form says -------------------------------------------------------------------------------------------------


def _is_of(form: Form) -> Callable[[Any], bool]:
    fixed = tuple((name, value) for name, value in form.fixed.items() if name != "extras")
    when = form.when

    def test(block: Any) -> bool:
        for name, value in fixed:
            if getattr(block, name) != value:
                return False
        return when is None or when(block)

    return test


def _says_all(form: Form) -> Callable[[Any], bool]:
    """Return the test of blocks that a form says all of."""
    fields = {"notes", "extras", *form.fixed}
    spaces = {FAMILY, NESTED, *form.fixed.get("extras", ())}
    foreign: set[str] = set()
    for item in form.items:
        fields.update(item.cells if isinstance(item, Hatch) else getattr(item, "fields", ()))
        if isinstance(item, Hatch):
            spaces.update(item.spaces)
            foreign.update(item.keys if ANTHROPIC in item.spaces and not item.cells else ())
    absent = {name: value for name, value in absent_of(form.cls).items() if name not in fields}
    if "input" in fields:
        absent.pop("raw_input", None)
    # Of a single name it would give no tuple.
    rest, wanted, test = attrgetter("cache", "notes", *absent), tuple(absent.values()), _is_of(form)

    def says_all(block: Any) -> bool:
        if rest(block)[2:] != wanted or not test(block):
            return False
        if not block.extras:
            return True
        if not block.extras.keys() <= spaces:
            return False
        return not foreign or natives.extras_of(block, ANTHROPIC).keys() <= foreign

    return says_all


def _is_anthropic(block: Any) -> bool:
    return block.kind == "server" and block.provider == ANTHROPIC and getattr(block, "is_valid", True)


def _is_signed(block: Any) -> bool:
    return block.signature is not None and block.signature.provider not in _USUAL_PROVIDERS


class ContentParts(Parts):
    """Reads and writes content parts.

    Attributes:
        quick_writers: by class, the writers of blocks with notes; each gives None if a note is more than a mark.
        described: the forms.
    """

    def __init__(self) -> None:
        # What fits is asked here, once.
        self.described = Described(FAMILY, (attrs.evolve(form, fits=None) for form in (*_FORMS, ANY_RESULT)), {})
        self._read_as, self._write_as = self.described.names.readers, self.described.names.writers
        # By tag, what reads such parts: the test of those that it takes, and its name.
        self._of_tag: dict[Any, list[_Entry]] = {}
        # By class, how blocks are usually written, and by class and mark, how else: the test of those that are.
        self._usual: dict[Any, list[_Entry]] = {}
        self._named: dict[tuple[Any, str], list[_Entry]] = {}
        for form in (*_FORMS, ANY_RESULT):
            self._add(form)
        self._result = result_shape(self.read, self._write_bare)
        shapes = (*map(self._shape, V1_CLASSES[:-1]), self._result)
        super().__init__(FAMILY, shapes)
        self._v1 = {shape.cls: shape for shape in shapes}
        self._read_as[_RESULT] = lambda part: self._careful(self._result, part)
        self._write_as.update({_RESULT: self._result.write, "signed": self._write_signed})
        self._write_as.update({name: shape.write for name, shape in SHAPES.items()})
        self._of_tag[_RESULT] = [(None, _RESULT)]
        self._usual[am.ToolResultBlock].append((None, _RESULT))
        self._named[am.ToolResultBlock, _RESULT] = [(lambda block: block.kind == "server", _RESULT)]
        self._named |= {(shape.cls, name): [(_is_anthropic, name)] for name, shape in SHAPES.items()}
        # Under that key may stand those of others, too.
        self._named[am.TextBlock, "citations"] = [(None, "cited")]
        self._named[am.ThinkingBlock, "reasoning"] = [(_is_signed, "signed")]
        self._special: dict[Any, Callable[[Native, str | None], Any]] = {
            "reasoning": self._read_signed,
            "server_tool_call": self._read_of_server,
            _RESULT: self._read_of_server,
            "non_standard": self._read_non_standard,
        }
        self.quick_writers: dict[Any, Any] = dict.fromkeys((*V1_CLASSES, am.CompactionBlock), self._write_marked)

    def _shape(self, cls: type[Any]) -> Shape:
        """Return the shape of a class in v1, which a hook of a user's may replace."""

        def read(part: Native, _: Any = None) -> Any:
            return self._of_forms(part, _V1_OF_TAG[part.get("type")])

        def write(block: Any) -> Native:
            name = next(name for test, name in usual if test is None or test(block))
            plain: Native = self._write_as[name](block)
            return plain

        usual = self._usual[cls]

        return Shape(cls=cls, keys={form.tag: form.keys for form in FORMS if form.cls is cls}, read=read, write=write)

    def _add(self, form: Form) -> None:
        name, mark, test = form.name, form.notes.get("shape"), _says_all(form)
        if form is not ANY_RESULT:
            self._of_tag.setdefault(form.tag, []).append((form.fits, name))
        if mark is None:
            own = self._usual.setdefault(form.cls, [])
            if form in OWN:
                own.insert(0, (test, name))
            else:
                own.append((None if form.is_other else _is_of(form), name))
        if mark is not None or name in _MARKS:
            self._named.setdefault((form.cls, mark or _MARKS[name]), []).append((test, name))

    def new_converter(self) -> cattrs.Converter:
        """Return a converter that can read and write what stands in `non_standard`, too."""
        return non_standard.make_converter()

    @once
    def fill(self) -> None:
        """Take the hooks of the Converter, on first use."""
        readers = hook_table(self.converter.get_structure_hook, V1_CLASSES)
        writers = hook_table(self.converter.get_unstructure_hook, V1_CLASSES)
        hooked = {
            cls for cls, shape in self._v1.items() if readers[cls] is not shape.read or writers[cls] is not shape.write
        }
        for cls in hooked:
            self._hook(attrs.evolve(self._v1[cls], read=readers[cls], write=writers[cls]))
        self.quick.update((tag, self._quick_reader(tag)) for tag, cls in _QUICK.items() if cls not in hooked)

    def _hook(self, shape: Shape) -> None:
        """Read and write the blocks of a class by a hook of a user's, in place of v1."""
        name = f"hook {shape.cls.__name__}"
        self._usual[shape.cls] = [(None, name)]
        self._write_as[name] = shape.write
        self._read_as[name] = lambda part: self._careful(shape, part)
        if shape.cls is am.ToolResultBlock:
            self._result = shape
        for tag in shape.keys:
            rest = [entry for entry in self._of_tag.get(tag, ()) if entry[1] not in _OF_V1]
            self._of_tag[tag] = [(None, name), *rest]

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, part: Any, provider: str | None = None) -> Any:
        """Return the block of a part.

        Args:
            part: the part.
            provider: who wrote the message, where it says so: whose the signatures and server tools are.
        """
        if type(part) is not _OBJECT:
            return v1.make_text(text=part, notes=_BARE) if type(part) is str else _native(part)
        tag: Any = part.get("type")
        if type(tag) is not str and tag is not None:
            return _native(part)
        extras = part.get("extras")
        has_hint = type(extras) is _OBJECT and "cache_control" in extras
        if has_hint or "prompt_cache_breakpoint" in part or "filename" in part:
            block = self._moved(part, provider)
            if block is not None:
                return block
        try:
            special = self._special.get(tag)
            block = None if special is None else special(part, provider)
            if block is None:
                block = self._of_forms(part, self._of_tag.get(tag, ()))
        except _REFUSED:
            return _native(part)
        if type(block) is am.ToolUseBlock and block.id is None and block.kind != "server":
            # It was read without one, and needs none.
            return marked(block, FAMILY, **{"no-id": True})
        return block

    def _of_forms(self, part: Native, entries: Sequence[_Entry]) -> Any:
        """Return the block of a part by the first form that reads it."""
        for fits, name in entries:
            if fits is None or fits(part):
                try:
                    block = self._read_as[name](part)
                except _REFUSED:
                    continue
                # For the codec of that family, which by default writes one plain text as such.
                return block.evolve(notes={**block.notes, **LISTED}) if name == "mcp_tool_result" else block
        tag = part.get("type")
        if not entries and type(tag) is str and tag.endswith("_tool_result"):
            return self._read_as[ANY_RESULT.name](part)
        raise Unreadable

    def _moved(self, part: Native, provider: str | None) -> Any:
        """Return the block of a part that has something at another place than v1; None of any other."""
        for mark, there, back in MOVES:
            moved = there(part)
            if moved is None:
                continue
            found = self.read(moved, provider)
            if type(found) is not am.NativeBlock and same_document(back(self._spelt(found)), part):
                return marked(found, FAMILY, **{mark: True})
        return None

    def _careful(self, shape: Shape, part: Native) -> Any:
        """Return the block of a part by a shape that takes the meaning alone: written, and compared."""
        try:
            block = shape.read(part, shape.cls)
            plain = shape.write(block)
        except _RAISED:
            raise Unreadable from None
        if same_document(plain, part):
            return block
        # What holds blocks is not read again: the time would grow by a factor for each level of nesting.
        read = None if shape.cls is am.ToolResultBlock else lambda native: shape.read(native, shape.cls)
        found = spelling.keep_proven(
            block, part, plain, family=FAMILY, known=shape.known(part) | plain.keys(), odd=_ODD, read=read
        )
        if found is None:
            raise Unreadable
        kept, is_proven = found
        if is_proven or same_document(spelling.put_back(kept, plain, family=FAMILY, read=lambda _: kept), part):
            return kept
        raise Unreadable

    def _read_signed(self, part: Native, provider: str | None) -> Any:
        """Read thinking whose signature is of the provider that the message names."""
        extras = part.get("extras")
        if provider in _USUAL_PROVIDERS or not is_object(extras):
            return None
        if type(extras.get("signature")) is not str or "signature_provider" in extras:
            return None
        block = self._of_forms(part, self._of_tag["reasoning"])
        signature = v1.make_signature(provider, block.signature.value)
        return marked(block.evolve(signature=signature), FAMILY, shape="reasoning")

    def _read_of_server(self, part: Native, provider: str | None) -> Any:
        """Read a call or result of a server's tool: as langchain-core translates Anthropic's to v1, or as v1."""
        tag: str = part["type"]
        if is_of_anthropic(part, provider):
            name = "v1-anthropic-call" if tag == "server_tool_call" else "v1-anthropic-result"
            try:
                return marked(self._careful(SHAPES[name], part), FAMILY, shape=name)
            except _REFUSED:
                pass
        block = self._of_forms(part, self._of_tag[tag])
        if block.provider == ANTHROPIC and self._name_of(block) not in (tag, f"hook {type(block).__name__}"):
            # Usually it is written as Anthropic has it.
            return marked(block, FAMILY, shape=tag)
        return block

    def _read_non_standard(self, part: Native, _: str | None) -> Any:
        """Read what v1 has no part for: our canonical form, or what LangChain has wrapped."""
        inner = object_at(part, "value")

        def read(native: Native, _: Any = None) -> Any:
            return non_standard.non_standard_block(object_at(native, "value"), self.converter)

        try:
            return self._careful(Shape(cls=am.BaseBlock, keys=_NON_STANDARD, read=read, write=self._plain), part)
        except Unreadable:
            return self._read_wrapped(part, inner)

    def _read_wrapped(self, part: Native, inner: Native) -> Any:
        tag: Any = inner.get("type")
        if type(tag) is not str and tag is not None:
            raise Unreadable
        entries = [entry for entry in self._of_tag.get(tag, ()) if entry[1] not in _OF_V1 or entry[1] == "cited"]
        block = self._of_forms(inner, entries)
        name = self._name_of(block) or ""
        mark = mark_of(block, FAMILY, "/shape") or _MARKS.get(name, name)
        is_odd = FAMILY in block.extras or any(key[0] != "/" for key in note_of(block, FAMILY))
        if is_odd or (type(block) is am.ToolUseBlock and block.kind == "function"):
            raise Unreadable
        rest = {key: part[key] for key in part if key not in ("type", "value")}
        found = marked(block, FAMILY, shape=f"{_WRAPPED}{mark}")
        return found.evolve(extras={**found.extras, FAMILY: adopt(rest)}) if rest else found

    def _quick_reader(self, tag: str) -> Callable[[Native], Any]:
        """Return what reads a part that holds nothing but texts, apart from the input of calls; else it gives None."""
        entries, direct = self._of_tag[tag], self._read_as[tag]

        def read(part: Native) -> Any:
            if len(part) > 2:  # noqa: PLR2004 - the tag, and what is said
                if len(part) > _MOST_KEYS or not _NOT_QUICK.isdisjoint(part):
                    return None
                extras: Any = part.get("extras")
                if extras is not None and (tag != "reasoning" or not is_object(extras) or len(extras) > 1):
                    return None
            try:
                block = self._of_forms(part, entries) if direct is None else direct(part)
            except _REFUSED:
                return None
            if block.extras or (block.notes and (len(block.notes[FAMILY]) > 1 or "/shape" not in block.notes[FAMILY])):
                return None
            return None if tag == "tool_use" and block.id is None else block

        return read

    # -- extras -------------------------------------------------------------------------------------------------------

    def keeps_extras(self, block: Any) -> bool:
        """Whether the extras of a block come back as they are: none says what a field of it would say."""
        if not self.may_mean(block):
            return True
        if type(block) is am.ToolResultBlock and block.content:
            # The same.
            block = block.evolve(content=())
        try:
            back = self.read(plain_copy(thaw(self.write(block))), _provider_of(block))
        except _RAISED:
            return False
        return type(back) is type(block) and same_document(back.extras, block.extras)

    @staticmethod
    def may_mean(block: Any) -> bool:
        """Whether an extra of a block might be read as a field of it."""
        for space, own in block.extras.items():
            if space == FAMILY:
                if is_mapping(own) and not _MAY_MEAN.isdisjoint(own):
                    return True
            elif space != INNER or (is_mapping(own) and not _MAY_MEAN_INSIDE.isdisjoint(own)):
                return True
        return False

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, block: Any) -> Any:
        """Return the part of a block."""
        return self._spelt(block) if block.notes or block.extras else self._plain(block)

    def _name_of(self, block: Any) -> str | None:
        """Return the name of the form that a block is usually written in; None of what v1 has no place for."""
        for test, name in self._usual.get(block.__class__, ()):
            if test is None or test(block):
                return name
        return None

    def _plain(self, block: Any) -> Any:
        """Return the part of a block as it is usually written, without its unknown fields."""
        if type(block) is am.NativeBlock:
            return block.value
        name = self._name_of(block)
        if name is None:
            return non_standard.write_non_standard(block, self.converter)
        return self._write_as[name](block)

    def _write_bare(self, block: Any) -> Any:
        """Return the part of a block in its default spelling, with its unknown fields."""
        return _with_extras(self._plain(block), block)

    def _write_marked(self, block: Any) -> Native | None:
        note = block.notes.get(FAMILY)
        if block.extras or len(block.notes) > 1 or not is_mapping(note) or len(note) > 1:
            return None
        return self._in_shape(block, note.get("/shape"))

    def _in_shape(self, block: Any, mark: Any) -> Native | None:
        """Return the part of a block as a mark says, or None where that doesn't say all of it."""
        if type(mark) is not str:
            return None
        for test, name in self._named.get((type(block), mark), ()):
            if test is None or test(block):
                plain: Native = self._write_as[name](block)
                return plain
        if not mark.startswith(_WRAPPED):
            return None
        inner = self._in_shape(block, mark.removeprefix(_WRAPPED))
        return None if inner is None else {"type": "non_standard", "value": inner}

    def _write_signed(self, block: Any) -> Native:
        own = v1.make_signature(ANTHROPIC, block.signature.value)
        plain: Native = self._plain(block.evolve(signature=own))
        return plain

    def _spelt(self, block: Any) -> Any:
        """Return the part of a block with its unknown fields, in the spelling that it remembers."""
        if type(block) is am.NativeBlock:
            return block.value
        if not block.notes:
            return _with_extras(self._plain(block), block)
        note = note_of(block, FAMILY)
        mark = note.get("/shape")
        if mark is not None and len(note) == 1:
            plain = self._in_shape(block, mark)
            if plain is not None:
                return _with_extras(plain, block)
        if mark == "str" and type(block) is am.TextBlock and am.same(block, v1.make_text(text=block.text)):
            return block.text
        plain = self._in_shape(block, mark)
        if plain is None:
            plain = self._plain(block)
        if all(key[:1] == "/" for key in note):
            native = _with_extras(plain, block)
        else:
            provider = _provider_of(block)
            native = spelling.put_back(
                block, plain, family=FAMILY, read=lambda part: self.read(plain_copy(thaw(part)), provider)
            )
        for mark, _, back in MOVES:
            if is_marked(block, FAMILY, f"/{mark}"):
                native = back(native)
        return native


def _with_extras(plain: Any, block: Any) -> Any:
    extras = natives.extras_of(block, FAMILY) if block.extras else None
    return {**plain, **{key: extras[key] for key in extras if key not in plain}} if extras else plain


def _provider_of(block: Any) -> str | None:
    """Return who a message must be of, for a part of it to be read as this block where it does not say so itself."""
    if type(block) is am.ThinkingBlock:
        return None if block.signature is None else block.signature.provider
    return block.provider if type(block) in (am.ToolUseBlock, am.ToolResultBlock) else None


def _native(part: Any) -> Any:
    return _make_native(codec=FAMILY, value=adopt(part), fallback=natives.native_text(part))
