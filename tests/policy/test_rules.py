"""Policy rules: strict reading, first match."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from deskhand.core.errors import ConfigurationError
from deskhand.core.ports import ActionFacts, Decision
from deskhand.policy.rules import default_rules, first_match, parse_rules, read_rules

FACTS = ActionFacts(
    tool="invoke",
    arguments={"action": "press", "count": 2},
    effect_class="edit",
    application="Writer",
    window="report.odt",
    control_role="button",
    control_name="_Save",
    paths=("/home/me/a.txt",),
    hosts=("example.org",),
    marks=("unsaved_work",),
)


def rule_text(match: str) -> str:
    return f"policy: 1\nrules:\n  - {{name: r, match: {match}, decision: confirm, reason: why}}\n"


def problems(text: str, *, restrict: bool = False) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        parse_rules(text, "p.yaml", restrict=restrict)
    return caught.value.message.splitlines()


@pytest.mark.parametrize(
    ("match", "fits"),
    [
        ("{}", True),
        ("{tool: invoke}", True),
        ("{tool: [click_input, invoke]}", True),
        ("{tool: click_input}", False),
        ("{effect_class: edit, application: writer}", True),
        ("{effect_class: edit, application: calc}", False),
        ("{window: /^report/}", True),
        ("{role: button, name: Save}", True),
        ("{role: menuitem, name: Save}", False),
        ("{name: /^save$/i}", True),
        ("{arguments: {action: press}}", True),
        ("{arguments: {count: '/^2$/'}}", True),
        ("{arguments: {action: press, other: x}}", False),
        ("{path: '/^/home//'}", True),
        ("{path: '/^/etc//'}", False),
        ("{host: EXAMPLE.org}", True),
        ("{host: '/evil/'}", False),
        ("{mark: unsaved_work}", True),
        ("{mark: [foreign_secret]}", False),
    ],
)
def test_a_rule_matches_where_every_key_does(match: str, *, fits: bool) -> None:
    assert (first_match(parse_rules(rule_text(match), "p.yaml"), FACTS) is not None) is fits


@pytest.mark.parametrize("match", ["{path: /./}", "{host: /./}", "{role: /./}", "{name: /./}", "{mark: unsaved_work}"])
def test_what_an_action_does_not_have_matches_nothing(match: str) -> None:
    bare = ActionFacts(tool="wait", arguments={}, effect_class="none")
    assert first_match(parse_rules(rule_text(match), "p.yaml"), bare) is None


@pytest.mark.requires("policy.first-match")
def test_the_first_match_wins() -> None:
    text = """\
policy: 1
rules:
  - {name: other, match: {tool: wait}, decision: deny, reason: r}
  - {name: first, match: {tool: invoke}, decision: allow, reason: r}
  - {name: second, match: {}, decision: deny, reason: r}
"""
    rule = first_match(parse_rules(text, "p.yaml"), FACTS)
    assert rule is not None
    assert (rule.name, rule.decision, rule.place) == ("first", Decision.ALLOW, "p.yaml:4")


def test_every_problem_is_reported_with_its_line() -> None:
    text = """\
policy: 3
rules:
  - {name: a, match: {tol: x}, decision: maybe, reason: r}
  - {name: a, match: {role: buton, name: "/(/", mark: secret}, decision: deny, reason: r}
  - {name: c, match: [], decision: deny}
  - {name: d, match: {effect_class: [], arguments: x}, decision: allow, reason: r}
  - {name: e, decision: allow, reason: r}
"""
    assert problems(text) == snapshot(
        [
            "p.yaml:1: policy format 3 is unknown; this reads 1",
            "p.yaml:3: unknown decision 'maybe'; known: allow, confirm, deny",
            "p.yaml:3: match has an unknown key 'tol'; did you mean 'tool'?",
            "p.yaml:4: name: bad regular expression /(/: missing ), unterminated subpattern at position 0",
            "p.yaml:4: unknown word 'buton'; did you mean 'button'?",
            "p.yaml:4: unknown word 'secret'; did you mean 'foreign_secret'?",
            "p.yaml:4: rule 'a' is defined a second time",
            "p.yaml:5: rule 3 lacks 'reason'",
            "p.yaml:5: match must be a mapping, not a list",
            "p.yaml:6: arguments must be a mapping, not text",
            "p.yaml:6: effect_class asks for nothing; leave the key out",
            "p.yaml:7: rule 5 lacks 'match'",
        ]
    )


def test_a_projects_rules_may_not_allow() -> None:
    text = "policy: 1\nrules:\n  - {name: a, match: {}, decision: allow, reason: r}\n"
    assert problems(text, restrict=True) == ["p.yaml:3: rule 'a': a project's policy may tighten, never allow"]


def test_a_file_without_rules_is_an_error(tmp_path: Path) -> None:
    assert problems("") == ["p.yaml:1: no rules stand here"]
    with pytest.raises(ConfigurationError, match="cannot read the policy file"):
        read_rules(tmp_path / "none.yaml")


def test_the_shipped_rules_load_and_say_why() -> None:
    rules = default_rules()
    assert rules[0].decision is Decision.DENY
    assert all(rule.reason for rule in rules)
