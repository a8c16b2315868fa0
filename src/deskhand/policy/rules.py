"""Policy rules: strict reading, and the first match (contract 4.6).

A rule matches where every key of its `match` does. A key holds one text or a list of alternatives; a text is compared,
`/…/` (any case: `/…/i`) is searched for. A key about a part that the action does not have (a path, a control) does not
match.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from pathlib import Path

from deskhand.config.yaml_values import Located, Source, suggestion
from deskhand.core.command import EffectClass
from deskhand.core.errors import ConfigurationError
from deskhand.core.patterns import compile_pattern, is_pattern, matches_name, matches_text
from deskhand.core.ports import ActionFacts, Decision
from deskhand.core.roles import Role
from deskhand.policy.orders import is_ordered

VERSION = 1
UNKNOWN_EFFECT = EffectClass.UNKNOWN
_RULE_KEYS = ("name", "match", "decision", "reason")
_MATCH_KEYS = (
    "tool",
    "effect_class",
    "application",
    "window",
    "role",
    "name",
    "message",
    "arguments",
    "path",
    "host",
    "mark",
)


class Mark(StrEnum):
    """Findings of the program about an action."""

    UNNAMED_APPLICATION = "unnamed_application"
    FOREIGN_SECRET = "foreign_secret"  # noqa: S105 - a mark, not a secret
    UNSAVED_WORK = "unsaved_work"
    ORDERED = "ordered"
    """The user's request has the words by which the rule finds the action, see `orders`."""


@dataclass(frozen=True, slots=True)
class Match:
    """The conditions of a rule; an empty key is no condition."""

    tool: tuple[str, ...] = ()
    effect_class: tuple[str, ...] = ()
    application: tuple[str, ...] = ()
    window: tuple[str, ...] = ()
    role: tuple[str, ...] = ()
    name: tuple[str, ...] = ()
    message: tuple[str, ...] = ()
    arguments: Mapping[str, tuple[str, ...]] | None = None
    path: tuple[str, ...] = ()
    host: tuple[str, ...] = ()
    mark: tuple[str, ...] = ()

    def fits(self, facts: ActionFacts) -> bool:
        named = (
            (self.tool, facts.tool),
            (self.effect_class, facts.effect_class),
            (self.window, facts.window),
            (self.role, facts.control_role),
            (self.name, facts.control_name),
            (self.message, facts.message),
        )
        arguments = (self.arguments or {}).items()
        return (
            all(_any_name(wanted, name) for wanted, name in named)
            and _any_folded(self.application, (facts.application,))
            and all(_any_argument(wanted, facts.arguments.get(key)) for key, wanted in arguments)
            and (not self.path or any(matches_text(wanted, path) for wanted in self.path for path in facts.paths))
            and _any_folded(self.host, facts.hosts)
            and (not self.mark or any(mark in facts.marks for mark in self.mark) or self._fits_order(facts))
        )

    def _fits_order(self, facts: ActionFacts) -> bool:
        return Mark.ORDERED in self.mark and self.ordered(facts) is True

    def ordered(self, facts: ActionFacts) -> bool | None:
        """Return whether the user's request orders the action; None where no request or no word is known."""
        parts = ((self.name, facts.control_name), (self.message, facts.message))
        found = [(wanted, text) for wanted, text in parts if wanted and text]
        if not facts.request.strip() or not found:
            return None
        return any(is_ordered(wanted, text, facts.request) for wanted, text in found)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `place` is its file and line, for messages."""

    name: str
    match: Match
    decision: Decision
    reason: str
    place: str


def first_match(rules: Sequence[Rule], facts: ActionFacts) -> Rule | None:
    """Return the first rule that matches."""
    return next((rule for rule in rules if rule.match.fits(facts)), None)


@cache
def default_rules() -> tuple[Rule, ...]:
    """Return the packaged rules."""
    text = resources.files("deskhand.policy").joinpath("defaults.yaml").read_text(encoding="utf-8")
    return parse_rules(text, "defaults.yaml")


def read_rules(path: Path, *, restrict: bool = False) -> tuple[Rule, ...]:
    """Read rules from a file. `restrict`: it may only tighten, so that `allow` in it is a problem (contract 5).

    Raises: ConfigurationError, naming every problem with file and line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read the policy file {path}: {error}", fix="name a readable file") from error
    return parse_rules(text, str(path), restrict=restrict)


def parse_rules(text: str, name: str, *, restrict: bool = False) -> tuple[Rule, ...]:
    """Parse rules; `name` is the name in messages. Raises: ConfigurationError."""
    source = Source(name)
    root = source.parse(text)
    rules = _rules(root, source) if root is not None else ()
    if restrict:
        for rule in rules:
            if rule.decision is Decision.ALLOW:
                line = int(rule.place.rpartition(":")[2])
                source.complain(line, f"rule {rule.name!r}: a project's policy may tighten, never allow")
    if root is None and not source.problems:
        source.complain(1, "no rules stand here")
    if source.problems:
        raise ConfigurationError("\n".join(source.problems), fix=f"correct {name} at the lines named")
    return rules


def _rules(root: Located, source: Source) -> tuple[Rule, ...]:
    entries = source.mapping(root, "the policy", ("policy", "rules"), ("policy", "rules"))
    version = entries.get("policy")
    if version is not None and version.plain() != VERSION:
        source.complain(version.line, f"policy format {version.plain()!r} is unknown; this reads {VERSION}")
    items = source.items(entries["rules"], "rules") if "rules" in entries else []
    rules = tuple(_rule(item, source, number) for number, item in enumerate(items, 1))
    seen: set[str] = set()
    for rule, item in zip(rules, items, strict=True):
        if rule.name and rule.name in seen:
            source.complain(item.line, f"rule {rule.name!r} is defined a second time")
        seen.add(rule.name)
    return rules


def _rule(node: Located, source: Source, number: int) -> Rule:
    entries = source.mapping(node, f"rule {number}", _RULE_KEYS, _RULE_KEYS)
    decisions = [item.value for item in Decision]
    decision = source.text(entries.get("decision"), "decision")
    if decision and decision not in decisions:
        source.complain(entries["decision"].line, f"unknown decision {decision!r}{suggestion(decision, decisions)}")
    return Rule(
        name=source.text(entries.get("name"), "name"),
        match=_match(entries["match"], source) if "match" in entries else Match(),
        decision=Decision(decision) if decision in decisions else Decision.DENY,
        reason=source.text(entries.get("reason"), "reason"),
        place=f"{source.name}:{node.line}",
    )


def _match(node: Located, source: Source) -> Match:
    entries = source.mapping(node, "match", _MATCH_KEYS)
    arguments: dict[str, tuple[str, ...]] = {}
    if "arguments" in entries:
        for key, item in source.mapping(entries["arguments"], "arguments").items():
            arguments[key] = _wanted(item, source, f"argument {key!r}")
    found = {key: _wanted(item, source, key) for key, item in entries.items() if key != "arguments"}
    _check_words(entries.get("role"), found.get("role", ()), [item.value for item in Role], source)
    effects = [item.value for item in EffectClass]
    _check_words(entries.get("effect_class"), found.get("effect_class", ()), effects, source)
    _check_words(entries.get("mark"), found.get("mark", ()), [item.value for item in Mark], source)
    return Match(arguments=arguments or None, **found)


def _check_words(node: Located | None, words: tuple[str, ...], known: Collection[str], source: Source) -> None:
    for word in words:
        if node is not None and not is_pattern(word) and word not in known:
            source.complain(node.line, f"unknown word {word!r}{suggestion(word, known)}")


def _wanted(node: Located, source: Source, what: str) -> tuple[str, ...]:
    texts = source.texts(node, what)
    if not any(texts):
        source.complain(node.line, f"{what} asks for nothing; leave the key out")
    for text in texts:
        if is_pattern(text):
            try:
                compile_pattern(text)
            except ValueError as error:
                source.complain(node.line, f"{what}: {error}")
    return texts


def _any_name(wanted: tuple[str, ...], name: str) -> bool:
    return not wanted or any(matches_name(item, name) for item in wanted)


def _any_folded(wanted: tuple[str, ...], names: Sequence[str]) -> bool:
    """Compare names of applications and hosts without case."""
    return not wanted or any(
        matches_name(item, name) if is_pattern(item) else item.casefold() == name.casefold()
        for item in wanted
        for name in names
    )


def _any_argument(wanted: tuple[str, ...], value: object) -> bool:
    if value is None:
        return False
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return any(matches_text(item, text) for item in wanted)
