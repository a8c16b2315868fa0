"""The rule-based policy: judging is pure, clearances are single use (contract 2.4, 4.1, 4.6)."""

import hashlib
import json
import secrets
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from deskhand.config.sections import PolicySection
from deskhand.core.command import Clearance, Command
from deskhand.core.errors import ClearanceMissing
from deskhand.core.ports import ActionFacts, Decision, OwnPolicy, Verdict
from deskhand.core.target import TargetInfo
from deskhand.policy.facts import Surroundings, facts_of, facts_of_pressed, target_identity
from deskhand.policy.own import OwnPolicies
from deskhand.policy.rules import Rule, default_rules, first_match, read_rules

_STRICTNESS = {Decision.ALLOW: 0, Decision.CONFIRM: 1, Decision.DENY: 2}
_NO_RULE = "no rule"
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of the settings as they were read: the user's own and the packaged ones, and those of a project."""

    rules: tuple[Rule, ...]
    restrictions: tuple[Rule, ...] = ()

    @classmethod
    def configured(cls, section: PolicySection) -> "RuleSet":
        """Raises: as `read_rules`."""
        rules = [rule for file in section.files for rule in read_rules(file)]
        restrictions = [rule for file in section.project_files for rule in read_rules(file, restrict=True)]
        return cls((*rules, *default_rules()), tuple(restrictions))


class RulePolicy:
    """Judges by rules and issues clearances. One object serves one session.

    The first of `rules` that matches decides, `allow` where none does. `restrictions` (a project's rules) and each of
    `own` (the caller's policies) are judged separately, and the strictest verdict holds, so that they can only tighten.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        surroundings: Surroundings,
        *,
        restrictions: Sequence[Rule] = (),
        own: Sequence[OwnPolicy] = (),
    ) -> None:
        self._rules = tuple(rules)
        self._restrictions = tuple(restrictions)
        self._own = OwnPolicies(own)
        self._surroundings = surroundings
        self._open: dict[str, str] = {}

    @classmethod
    def configured(
        cls, section: PolicySection, surroundings: Surroundings, own: Sequence[OwnPolicy] = ()
    ) -> "RulePolicy":
        """Return the policy of the settings' rules, followed by the packaged ones. Raises: as `read_rules`."""
        found = RuleSet.configured(section)
        return cls(found.rules, surroundings, restrictions=found.restrictions, own=own)

    def judge(self, command: Command, target: TargetInfo | None) -> Verdict:
        """Judge this command on this target as it is now, and on each other control that its point or keys may press.

        The strictest verdict holds.
        """
        of_command = facts_of(command, target, self._surroundings)
        all_facts = (of_command, *facts_of_pressed(of_command, command, target))
        verdicts = [verdict for facts in all_facts for verdict in self._verdicts(facts)]
        as_pressed = [(facts, replace(facts, control_role=facts.acts_as)) for facts in all_facts if facts.acts_as]
        verdicts += [replace(found, facts=facts) for facts, other in as_pressed for found in self._verdicts(other)]
        strictest = max(verdicts, key=lambda verdict: _STRICTNESS[verdict.decision])  # the first of equal ones
        return replace(strictest, call_id=command.call_id, digest=_digest(command, target))

    def _verdicts(self, facts: ActionFacts) -> Iterator[Verdict]:
        for rules in (self._rules, self._restrictions):
            yield _verdict(first_match(rules, facts), facts)
        yield from self._own.verdicts(facts)

    def clear(self, verdict: Verdict, *, approved: bool = False) -> Clearance:
        """Return a clearance for the command and target that were judged; an approval passes `confirm`, never `deny`.

        Raises: ClearanceMissing.
        """
        tool = verdict.facts.tool
        if verdict.decision is Decision.DENY:
            raise ClearanceMissing(
                f"{tool} is denied: {verdict.reason} (rule {verdict.rule!r})",
                fix="use another action; this one cannot be approved",
            )
        if verdict.decision is Decision.CONFIRM and not approved:
            raise ClearanceMissing(
                f"{tool} needs the user's approval: {verdict.reason} (rule {verdict.rule!r})",
                fix="ask for a confirmation first",
            )
        token = secrets.token_urlsafe(24)
        self._open[token] = verdict.digest
        return Clearance(verdict.call_id, verdict.digest, token)

    def redeem(self, clearance: Clearance, command: Command, target: TargetInfo | None) -> None:
        """Use a clearance up, even where it does not fit. Raises: ClearanceMissing."""
        digest = self._open.pop(clearance.token, None)
        if digest is None:
            raise ClearanceMissing(
                f"the clearance for {command.tool_name} is not ours or was used before", fix="clear the command again"
            )
        if digest != clearance.digest or digest != _digest(command, target):
            raise ClearanceMissing(
                f"{command.tool_name} was allowed for another command or target: "
                f"{target.describe if target else 'it'} was replaced or changed since",
                fix="observe the window again, and choose what stays",
            )


def describe(verdict: Verdict) -> tuple[str, ...]:
    """Describe one action to the user, one fact a line; text from the screen is quoted, on one line."""
    facts = verdict.facts
    lines = [f"Action: {facts.tool} ({facts.effect_class.replace('_', ' ')})"]
    if facts.application:
        lines.append(f"Application: {_shown(facts.application)}")
    if facts.window:
        lines.append(f"Window: {_shown(facts.window)}")
    if facts.control_role:
        lines.append(f"Control: {facts.control_role} {_shown(facts.control_name)}")
    if facts.message:
        lines.append(f"Message: {_shown(facts.message)}")
    lines.extend(f"Argument {key}: {_shown(value)}" for key, value in facts.arguments.items())
    lines.extend(f"File: {_shown(path)}" for path in facts.paths)
    lines.extend(f"Host: {_shown(host)}" for host in facts.hosts)
    lines.append(f"Why: {verdict.reason} (rule {verdict.rule})")
    return tuple(lines)


def _verdict(rule: Rule | None, facts: ActionFacts) -> Verdict:
    if rule is None:
        return Verdict(Decision.ALLOW, _NO_RULE, "no rule asks for more", facts)
    return Verdict(rule.decision, rule.name, _reason(rule, facts), facts)


def _reason(rule: Rule, facts: ActionFacts) -> str:
    """Return the rule's reason, and whether the user's request orders the action."""
    ordered = rule.match.ordered(facts) if rule.decision is Decision.CONFIRM else None
    if ordered is None:
        return rule.reason
    return f"{rule.reason}; the request {'orders it' if ordered else 'does not order it'}"


def _digest(command: Command, target: TargetInfo | None) -> str:
    bound = [
        command.call_id,
        command.tool_name,
        command.parameters,
        target_identity(target),
        command.window.handle if command.window is not None else "",
    ]
    return hashlib.sha256(json.dumps(bound, sort_keys=True).encode()).hexdigest()


def _shown(value: object) -> str:
    """Return a value on one line: no line breaks, control or direction characters, at most 200 characters."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    plain = "".join(" " if char.isspace() else char for char in text if char.isspace() or _is_visible(char))
    shown = plain[:_LONGEST].replace('"', '\\"')
    return f'"{shown}…" ({len(plain)} characters)' if len(plain) > _LONGEST else f'"{shown}"'


def _is_visible(char: str) -> bool:
    return unicodedata.category(char) not in {"Cc", "Cf", "Co", "Cs"}
