"""A word, and all that it may mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

import msgspec

from replanctl.docs import facts
from replanctl.docs.shelf import KINDS, Kind, page_names, texts
from replanctl.nearest import several_nearest


class Entry(msgspec.Struct, frozen=True):
    """One meaning of a word.

    `facts` are what a table or a schema says of it, each with a label; `page` is the page that says more.
    """

    word: str
    kind: Kind
    text: str
    facts: tuple[tuple[str, str], ...]
    page: str


class Found(msgspec.Struct, frozen=True):
    """What there is to a word: its meanings, the kind it lists the words of, the page that is called so."""

    entries: tuple[Entry, ...] = ()
    kind: Kind | None = None
    page: str | None = None

    def __bool__(self) -> bool:
        return bool(self.entries or self.kind or self.page)


_COMMAND = Kind("command", "commands", "commands")
# Fields of results and events are asked for last: most of their names mean something else as well, and that is what a
# person wants to know who meets the word on a screen.
_FIELD = Kind("field", "fields", "result")

Facts = Callable[[str], tuple[tuple[str, str], ...]]

# What stands beside an entry's own sentences, by the kind's plural: a table of ours knows it, and says it only once.
_FACTS: dict[str, Facts] = {
    "rules": facts.rule_facts,
    "gates": facts.gate_facts,
    "reasons": facts.reason_facts,
    "statuses": facts.status_facts,
    "error-types": facts.error_type_facts,
}
# Kinds whose entries are drawn from schemas: each gives words with their texts and facts.
_DRAWN: dict[str, Callable[[], Iterator[facts.Drawn]]] = {
    "events": facts.events,
    "keys": facts.keys,
    "fields": facts.fields,
}


@cache  # a schema takes a while to draw, and every question goes through all the kinds
def entries_of(kind: Kind) -> tuple[Entry, ...]:
    """Every entry of a kind, in its order."""
    if kind.plural in _DRAWN:
        return tuple(Entry(each.word, kind, each.text, each.facts, each.page) for each in _DRAWN[kind.plural]())
    facts_of = _FACTS.get(kind.plural, _no_facts)
    return tuple(
        Entry(word, kind, said.text, facts_of(word), said.page or kind.page) for word, said in texts(kind).items()
    )


def find(asked: str, commands: Mapping[str, str] | None = None) -> Found:
    """All that a word means: hyphens, underlines, spaces and capitals make no difference.

    A key may be asked for by its path too: `policy.gates.max_steps`, `gates.max_steps`. `commands` are those of the
    command line with what they are for; this room knows none.
    """
    wanted = _plain(asked)
    # All meanings are told and not the first: `skip` may be said of a failure and by a person.
    everything = (*(entry for kind in KINDS for entry in entries_of(kind)), *_entries_of_commands(commands or {}))
    entries = tuple(entry for entry in everything if _is_meant(entry, wanted))
    kind = next((kind for kind in (*KINDS, _FIELD) if wanted in (_plain(kind.plural), _plain(kind.name))), None)
    page = next((name for name in page_names() if _plain(name) == wanted), None)
    if not (entries or kind or page):
        entries = tuple(entry for entry in entries_of(_FIELD) if _is_meant(entry, wanted))
    return Found(entries, kind, page)


def _entries_of_commands(commands: Mapping[str, str]) -> Iterator[Entry]:
    for name, said in commands.items():
        yield Entry(name, _COMMAND, said, (("usage", f"replanctl {name} --help"),), _COMMAND.page)


def suggestion(asked: str, commands: Iterable[str] = ()) -> str:
    """The nearest words to one that means nothing, as a hint; empty where none is near."""
    known = {_plain(word): word for words in (*words_by_kind().values(), tuple(commands)) for word in words}
    known |= {_plain(entry.word): entry.word for entry in entries_of(_FIELD)}
    known |= {_plain(name): name for name in (*page_names(), *(kind.plural for kind in KINDS))}
    *others, last = [known[each] for each in several_nearest(_plain(asked), known)] or [""]
    return f"did you mean {', '.join(others)}{' or ' if others else ''}{last}?" if last else ""


def words_by_kind() -> dict[Kind, tuple[str, ...]]:
    """The words of every kind, each once, in their order."""
    return {kind: tuple(dict.fromkeys(entry.word for entry in entries_of(kind))) for kind in KINDS}


def _is_meant(entry: Entry, wanted: str) -> bool:
    if _plain(entry.word) == wanted:
        return True
    return "." in wanted and any(f".{place}".endswith(f".{wanted}") for place in _places(entry))


def _places(entry: Entry) -> list[str]:
    """Where a key stands, without the marks of lists and names; a gate is a key of the policy too."""
    if entry.kind.plural == "gates":
        return [_plain(f"{facts.GATE_KEYS}.{entry.word}")]
    places = next((said for label, said in entry.facts if label == facts.PLACES), "").split(", ")
    return [_plain(place.replace("[]", "").replace(".NAME", "")) for place in places]


def _plain(word: str) -> str:
    """A word as words are compared: what is written in one system with a hyphen is written in the next with another
    sign. A mark is compared as it is."""
    return "-".join(word.lower().replace("_", " ").replace("-", " ").split()) or word.strip()


def _no_facts(word: str) -> tuple[tuple[str, str], ...]:
    return ()
