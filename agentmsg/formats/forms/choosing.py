"""Choose the form in which to write an object of the model, among those of its class."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.formats.forms.form import Form


def chooser(forms: Sequence[Form]) -> Callable[[Any], Form | None]:
    """Return a function that finds the form of an object: the first whose fields and test it passes.

    A form without conditions is for all other objects; without such a form the function may return None. It is called
    for each field of a block, so forms that a word of the object rules out are skipped at once.

    Args:
        forms: of one class.
    """
    return _chooser(forms, frozenset({"extras"}))


def _chooser(forms: Sequence[Form], known: frozenset[str]) -> Callable[[Any], Form | None]:
    """Return the chooser of forms that fix the fields ``known`` to the object's values."""
    words = Counter(
        name for form in forms for name, value in form.fixed.items() if isinstance(value, str) and name not in known
    )
    telling = {name: count for name, count in words.items() if len({form.fixed.get(name) for form in forms}) > 1}
    if not telling:
        return _by_tests(forms, known)
    field = max(telling, key=telling.__getitem__)

    def left(value: Any) -> Callable[[Any], Form | None]:
        some = [form for form in forms if field not in form.fixed or form.fixed[field] == value]
        return _chooser(some, known | {field})

    values = {value for form in forms if isinstance(value := form.fixed.get(field), str)}
    by_value, others, all_tests = (
        {value: left(value) for value in (None, *values)},
        left(object()),
        _by_tests(forms, known),
    )

    def choose(obj: Any) -> Form | None:
        value = getattr(obj, field)
        if value is None or isinstance(value, str):
            return by_value.get(value, others)(obj)
        return all_tests(obj)

    return choose


def _by_tests(forms: Sequence[Form], known: frozenset[str]) -> Callable[[Any], Form | None]:
    """Return a chooser that tests one form after another."""
    other = next((form for form in reversed(forms) if form.is_other), None)
    told = [form for form in forms if not form.is_other and not form.is_only_read]
    if not told:
        return lambda _: other
    tested = [(form, [pair for pair in form.fixed.items() if pair[0] not in known], form.when) for form in told]

    def choose(obj: Any) -> Form | None:
        for form, fixed, when in tested:  # loops: a generator takes as long as the test itself
            for name, value in fixed:
                if getattr(obj, name) != value:
                    break
            else:
                if when is None or when(obj):
                    return form
        return other

    return choose
