"""The settings of a request: the body parameters for which ``Settings`` has a field, by a format's form."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from agentmsg.formats.capabilities import KEEP, Drop, Row, Swap, carried_extras
from agentmsg.formats.forms.items import Key
from agentmsg.formats.forms.values import Via
from agentmsg.formats.natives import NOTHING, beyond, extras_of, merged, nested, value_at, without
from agentmsg.formats.shapes import Unreadable, mark_of, marked, read_as, write_as
from agentmsg.model.equality import same
from agentmsg.model.settings import OWNER, Settings, known_of
from agentmsg.values.frozen import EMPTY, adopt, plain_copy, thaw
from agentmsg.values.types import is_list, is_mapping, is_object, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from dataclasses import KW_ONLY

    from agentmsg.formats.capabilities import Cell, Rule
    from agentmsg.formats.forms.described import Described
    from agentmsg.formats.forms.values import Value
    from agentmsg.formats.sending.edits import Path
    from agentmsg.formats.sending.findings import Request, SendingRule
    from agentmsg.formats.shapes import Native
    from agentmsg.model.history import History

    _Spelling: TypeAlias = Callable[[Any], Any]

_UNSET = Settings()
_NAME = object()
_EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max")


class _Ranged(Via):
    """A number with a range, from ``least`` to ``most``."""

    _: KW_ONLY
    least: float
    most: float


class BodySettings:
    """Reads the settings of a request from the parameters of its body, and writes them.

    Of a parameter that is an object, what isn't read stays an extra in the same place: it is what the settings, written
    again, lack. So a form's functions take what they know of an object, and ignore the rest.

    Args:
        described: the format, whose form "settings" describes them; all keys of that form may be extras.
        owner: the format whose models and shared parameters these are, too; else the family.
        inside: by parameter, the form's keys that are in its object; outside it they are extras.
        shared: the parameters without a setting that the owner's requests have, too: by path, the path there. They are
            extras of the owner, so both formats write them.
        spelt: shared parameters whose values the two spell differently: the functions that return the owner's spelling
            and one's own, or None for a value that the other can't say.
    """

    def __init__(
        self,
        described: Described,
        *,
        owner: str | None = None,
        inside: Mapping[str, Iterable[str]] = EMPTY,
        shared: Mapping[str, str] = EMPTY,
        spelt: Mapping[str, tuple[_Spelling, _Spelling]] = EMPTY,
    ) -> None:
        self.described = described
        described.body = self.schema
        self._family = described.family
        self._owner = owner or described.family
        self._keys = described.forms["settings"].keys
        self._inside = {name: tuple(keys) for name, keys in inside.items()}
        self._outer = {key: name for name, keys in self._inside.items() for key in keys}
        self._shared = [
            (path.split("."), name.split("."), *spelt.get(path, (_as_it_is, _as_it_is)))
            for path, name in shared.items()
        ]

    def read(self, parameters: Mapping[str, Any]) -> tuple[Settings | None, Native]:
        """Return the settings in some parameters, and the remaining parameters."""
        held = {name: own for name in self._inside if is_object(own := parameters.get(name)) and own}
        flat = {key: value for key, value in parameters.items() if key in self._keys and key not in self._outer}
        known = flat | {key: own[key] for name, own in held.items() for key in self._inside[name] if key in own}
        if not known:
            return None, dict(parameters)
        settings, left = self._read(known)
        if settings == _UNSET or all(key in left and left[key] is known[key] for key in known):
            return None, dict(parameters)

        def rest_of(own: Mapping[str, Any], read: Collection[str]) -> Native:
            return {key: left[key] if key in read else own[key] for key in own if key not in read or key in left}

        rest = rest_of(parameters, flat)
        for name, own in held.items():
            rest[name] = rest_of(own, self._inside[name])
            if not rest[name]:
                del rest[name]
        if settings.model is None:
            return settings, rest
        # The owner of the name: another family's model isn't known here.
        return marked(settings, self._owner, model=_print(settings.model)), rest

    def _read(self, known: Native) -> tuple[Settings, Native]:
        """Return the settings, and what isn't read, by key.

        That is a value of another type, one that only a note could hold, or what an object has besides.
        """
        found: Settings = read_as(self.described.shapes["settings"], known, self._family)
        note: Any = found.notes.get(self._family, EMPTY)
        extras: Any = found.extras.get(self._family, ())
        left: Native = {key: known[key] for key in extras}
        found = found.evolve(extras=EMPTY) if left else found
        whole = {key: known[key] for key in known if is_sequence(note.get(key))}
        objects = [key for key in known.keys() - left.keys() if is_object(known[key]) and known[key]]
        written = self._write_flat(found) if objects and not whole else {}
        for key in objects if written else ():
            more = beyond(known[key], written.get(key))
            if more is None:
                whole[key] = known[key]
            elif more:
                left[key] = more
        if whole:
            found, left = self._read({key: value for key, value in known.items() if key not in whole})
        return found, whole | left

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of these parameters, as far as what is written for some settings tells it."""
        cells = self.described.rows.row("settings").fields
        bodies: list[Native] = []
        for field, value in _some_values():
            asked = Settings(**{field: value}, parallel_tool_calls=True)
            with suppress(Unreadable):
                new = cells[field](value, asked) if field in cells else Drop("no place")
                if not isinstance(new, Drop):
                    bodies.append(self.write(asked.evolve(**{field: new.new if isinstance(new, Swap) else new})))
        made: Native = {key: {} for key in self._keys - self._outer.keys()}
        for name, keys in self._inside.items():
            made[name] = {"type": "object", "properties": {key: {} for key in keys}}
        for name, schema in _seen(bodies).get("properties", {}).items():
            if name in self._inside:
                made[name]["properties"] |= schema.get("properties", {})
            else:
                made[name] = schema
        return {"type": "object", "properties": made}

    def write(self, settings: Settings | None, rest: Mapping[str, Any] = EMPTY) -> Native:
        """Return the parameters for settings; fields that have no place here give none.

        Args:
            settings: of a history.
            rest: its other parameters, some of which are in the same objects.
        """
        written: Native = {}
        for key, value in self._write_flat(settings).items():
            name = self._outer.get(key)
            written |= {key: value} if name is None else {name: {**written.get(name, {}), key: value}}
        return {key: merged(rest[key], value) if key in rest else value for key, value in written.items()}

    def _write_flat(self, settings: Settings | None) -> Native:
        if settings is None:
            return {}
        flat = write_as(self.described.shapes["settings"], settings, self._family)
        # What absent keys mean is a setting only beside others.
        return flat or self.described.shapes["settings"].write(settings)

    # -- the other parameters -----------------------------------------------------------------------------------------

    def extras(self, rest: Native) -> dict[str, Any]:
        """Return the extras for the remaining parameters: those that the owner's requests have are the owner's."""
        theirs: Native = {}
        for top in list(rest):
            for path, name, there, back in self._shared:
                if path[0] != top or (value := value_at(rest, path)) is NOTHING:
                    continue
                plain = value if there is _as_it_is else thaw(value)
                spelt = there(plain)
                if there is _as_it_is or (spelt is not None and back(spelt) == plain):
                    rest, theirs = without(rest, path), merged(theirs, nested(name, spelt))
        return {space: own for space, own in ((self._family, rest), (self._owner, theirs)) if own}

    def parameters(self, history: History) -> Mapping[str, Any]:
        """Return the parameters among a history's extras."""
        own = extras_of(history, self._family)
        theirs = extras_of(history, self._owner) if self._shared else EMPTY
        for top in theirs:
            for path, name, _, back in self._shared:
                if name[0] != top or value_at(own, path) is not NOTHING:
                    continue
                value = value_at(theirs, name)
                if value is not NOTHING and back is not _as_it_is:
                    value = NOTHING if (spelt := back(thaw(value))) is None else spelt
                if value is not NOTHING:
                    own = merged(own, nested(path, value))
        return own

    def taken(self, history: History) -> frozenset[str]:
        """Return the parameters among a history's extras that wouldn't be read back as extras beside its settings."""
        own: Any = history.extras.get(self._family)
        known = () if not is_mapping(own) else [key for key in own if key in self._keys or key in self._inside]
        if not known:
            return frozenset()
        written = self.write(history.settings, own)
        _, rest = self.read({**{key: thaw(own[key]) for key in known}, **written})
        return frozenset(key for key in known if key not in rest or not same(adopt(rest[key]), own[key]))

    def beside(self, keys: frozenset[str], odd: Callable[[Any, str, Any], bool] | None = None) -> Cell:
        """Return the cell of a history's extras: the other parameters of its body.

        Args:
            keys: of the body that hold more than parameters.
            odd: as for ``carried_extras``.
        """
        own = carried_extras((self._family, lambda history: keys | self.taken(history)), odd=odd)

        def both(extras: Any, history: History) -> Any:
            joined = adopt({self._family: self.parameters(history)})
            kept = own(joined, history.evolve(extras=joined)).get(self._family, EMPTY)
            found = adopt(self.extras(dict(kept)))
            return extras if same(found, extras) else found

        return both if self._shared else own

    def row(self, rule: Rule | None = None, **cells: Cell) -> Row:
        """Return the row of the capability table.

        Args:
            rule: rewrites settings that must change together.
            cells: of fields that differ from the form, or allow only some values.
        """
        told: dict[str, Any] = {"model": self._own_model, **cells}
        fields = self.described.rows.row("settings", **told).fields
        return Row({name: cell for name, cell in fields.items() if name != "extras"}, rule)

    def _own_model(self, model: str, settings: Settings) -> Any:
        return model if self.owns_model(settings) else Drop("the name of another provider's model")

    @staticmethod
    def key(native: str, value: Value, field: str | None = None) -> Key:
        """Return the key of an optional setting; any other value under it is an extra.

        Args:
            native: the key.
            value: its value.
            field: the settings field, if its name differs.
        """
        return Key(native, field or native, value, "may", is_odd=True)

    @staticmethod
    def between(native: str, least: float, most: float, field: str | None = None) -> Key:
        """Return the key of a number with a range; a number outside becomes the nearer end."""

        def read(value: Any) -> Any:
            if type(value) not in (int, float) or not least <= value <= most:
                raise Unreadable
            return value

        def write(value: Any) -> Any:
            return min(max(value, least), most)

        cell = BodySettings.coming_back(read, write, f"it goes from {least:g} to {most:g} here")
        return BodySettings.key(native, _Ranged(read, write, {}, supports=cell, least=least, most=most), field)

    @staticmethod
    def stops(native: str) -> Key:
        """Return the key of the stop texts; an empty list is an extra."""
        return BodySettings.key(native, Via(_read_texts, list, {}, supports=KEEP), "stop")

    @staticmethod
    def labels(native: str, field: str | None = None) -> Key:
        """Return the key of labels, an object of texts; arguments as for ``key``."""
        cell = BodySettings.coming_back(_read_labels, _write_labels, "labels are texts here")
        return BodySettings.key(native, Via(_read_labels, _write_labels, {}, supports=cell), field)

    @staticmethod
    def choice(native: str, words: Mapping[str, Any], one: Callable[[Any], Any]) -> Key:
        """Return the key of the choice of tools.

        Args:
            native: the key.
            words: the native values for our words "auto", "none" and "required", as far as there are some.
            one: returns the native value for the choice of one tool, by its name.
        """
        path = _path_to(_NAME, one(_NAME)) or ()

        def read(value: Any) -> Any:
            name = value
            try:
                for step in path:
                    name = name[step]
            except (LookupError, TypeError):
                name = None
            if type(name) is str and beyond(value, one(name)) is not None:
                return adopt({"name": name})
            for word, said in words.items():
                if value == said or beyond(value, said) is not None:
                    return word
            raise Unreadable

        def write(value: Any) -> Any:
            if is_mapping(value):
                return one(thaw(value.get("name")))
            return plain_copy(words.get(value)) if type(value) is str else None

        cell = BodySettings.coming_back(read, write, "this tool choice isn't supported")
        return BodySettings.key(native, Via(read, write, {}, supports=cell), "tool_choice")

    known = staticmethod(known_of)
    """Returns those keys of an object, with their values, that a setting may have."""

    @staticmethod
    def coming_back(get: Callable[[Any], Any], put: Callable[[Any], Any], why: str) -> Cell:
        """Return the cell of a setting that two functions read and write: a value that comes back is supported.

        Args:
            get: as for ``Via``.
            put: as for ``Via``; called with any JSON, it may raise Unreadable.
            why: the reason if it doesn't come back.
        """

        def cell(value: Any, _: Any) -> Any:
            try:
                new = adopt(get(put(value)))
            except Unreadable:
                return Drop(why)
            return value if same(new, value) else Swap(new, why)

        return cell

    def owns_model(self, settings: Settings) -> bool:
        """Whether the model may belong to this family: its name wasn't read from another family's request."""
        if not settings.notes or settings.model is None:
            return True
        known = _print(settings.model)
        readers = [family for family in settings.notes if mark_of(settings, family, OWNER) == known]
        return not readers or self._owner in readers

    def ranges(self) -> list[SendingRule]:
        """Return the rules for the numbers that have a range here; one outside it may be an extra."""
        from agentmsg.formats.sending import limits  # noqa: PLC0415 - who only reads and writes has no rules

        keys = [key for key in self.described.forms["settings"].items if isinstance(key, Key)]
        return [
            limits.between(key.field, key.value.least, key.value.most, unread=self.unread(key.native))
            for key in keys
            if isinstance(key.value, _Ranged)
        ]

    def unread(self, native: str) -> Callable[[History], tuple[Any, Mapping[str, Any]] | None]:
        """Return the function that returns a number under a key that is an extra, and the extras without it."""
        outer = self._outer.get(native)
        path = (self._family, *([] if outer is None else [outer]), native)

        def find(history: History) -> tuple[Any, Mapping[str, Any]] | None:
            value = value_at(history.extras, path)
            return (value, without(history.extras, path)) if type(value) in (int, float) else None

        return find

    def needs(self, *names: str, unnamed: str = "") -> SendingRule:
        """Return the rule for settings that a request must have.

        A history without any settings is a conversation, not a request: its settings come with the call.

        Args:
            names: of the settings.
            unnamed: the parameter of requests whose model is named elsewhere.
        """

        def find(request: Request) -> Iterator[Path]:
            settings = request.history.settings
            if settings is None:
                return
            own = extras_of(request.history, self._family)
            for name in names:
                if name == "model" and unnamed in own:
                    continue
                if getattr(settings, name) is None or (name == "model" and not self.owns_model(settings)):
                    yield ("settings", name)

        from agentmsg.formats.sending import SendingRule  # noqa: PLC0415 - who only reads and writes has no rules

        return SendingRule("required-setting", find, "a request must say this", "give it")


def _some_values() -> Iterator[tuple[str, Any]]:
    """Yield settings whose form tells what an object says of them; a star stands for any text or key."""
    some = {str: "*", int: 1024, bool: True, dict: {"*": 0}}
    yield from {"user": "*", "metadata": {"*": "*"}}.items()
    yield from (("reasoning", {"effort": effort, "summary": "*"}) for effort in _EFFORTS)
    yield "reasoning", {"budget": -1}
    for field, (words, keys, _) in Settings.asked.items():
        yield from ((field, value) for value in (*words, {key: some[kind] for key, kind in keys.items()}))


def _seen(values: list[Any]) -> dict[str, Any]:
    """Return the JSON Schema that some values suggest."""
    if all(map(is_object, values)):
        keys = {key: _seen([value[key] for value in values if key in value]) for value in values for key in value}
        return {"type": "object", "properties": keys} if keys and "*" not in keys else {"type": "object"}
    objects, words = [value for value in values if is_object(value)], [value for value in values if type(value) is str]
    if len(objects) + len(words) < len(values):
        return {}
    told = {"type": "string"} if any("*" in word for word in words) else {"enum": words}
    return {"anyOf": [told, _seen(objects)]} if objects else told


def _as_it_is(value: Any) -> Any:
    return value


def _path_to(wanted: object, value: Any) -> tuple[Any, ...] | None:
    """Return the keys and indexes that lead to an object inside a value; None if it isn't there."""
    if value is wanted:
        return ()
    for step, inner in value.items() if is_object(value) else enumerate(value) if is_list(value) else ():
        path = _path_to(wanted, inner)
        if path is not None:
            return (step, *path)
    return None


def _read_texts(value: Any) -> tuple[str, ...]:
    if not is_list(value) or not value or not all(type(text) is str for text in value):
        raise Unreadable
    return tuple(value)


def _read_labels(value: Any) -> Any:
    if not is_object(value) or not all(type(text) is str for text in value.values()):
        raise Unreadable
    return adopt(value)


def _write_labels(value: Any) -> Any:
    return {key: text for key, text in value.items() if type(text) is str}


def _print(model: str) -> str:
    """Return a fingerprint of a name for a note: notes hold no values."""
    from zlib import crc32  # noqa: PLC0415 - loading it takes as long as reading a document

    return f"{crc32(model.encode(errors='surrogatepass')):08x}"
