"""Replies that must not be used: each damage makes a good reply one that is not, whatever its seed."""

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

Reply = dict[str, Any]
IDS: Final = {"1": "Text", "2": "Save", "6": "Tidy"}


def good(random: Random) -> Reply:
    """A reply that would press a button or write a text."""
    label = random.choice(list(IDS))
    reply: Reply = {
        "observation": _words(random),
        "thought": _words(random),
        "status": random.choice(["CONTINUE", "FINISH", "SCREENSHOT"]),
        "function": "click_input",
        "args": {},
        "control_label": label,
        "control_text": IDS[label],
        "plan": [_words(random)] * random.randrange(4),
    }
    if label == "1":
        reply |= {"function": "set_edit_text", "args": {"text": _words(random)}}
    return reply


def _words(random: Random) -> str:
    return " ".join(random.choice(["press", "Säve", "{", "}", '"', "数", "\n", "😀", "\\"]) for _ in range(8))


def _changed(**changes: Any) -> Callable[[Reply, Random], str]:  # Any: any JSON
    def damage(reply: Reply, _: Random) -> str:
        return json.dumps({**reply, **changes}, ensure_ascii=False)

    return damage


def _cut(reply: Reply, random: Random) -> str:
    text = json.dumps(reply, ensure_ascii=False)
    return text[: random.randrange(len(text) - 1)]


def _without(name: str) -> Callable[[Reply, Random], str]:
    def damage(reply: Reply, _: Random) -> str:
        return json.dumps({key: value for key, value in reply.items() if key != name})

    return damage


def _noise(_: Reply, random: Random) -> str:
    return "".join(chr(random.choice([random.randrange(32, 127), random.randrange(0x370, 0xD7FF)])) for _ in range(60))


def _two(reply: Reply, random: Random) -> str:
    return f"{json.dumps(reply)}\nor rather\n{json.dumps({**good(random), 'comment': 'another'})}"


def _wrong_type(reply: Reply, random: Random) -> str:
    name = random.choice(["status", "function", "args", "control_label", "result"])
    wrong = {"status": [5], "function": 7, "args": [1], "control_label": {"a": 1}, "result": ["x"]}[name]
    return json.dumps({**reply, name: wrong})


DAMAGES: Final[Mapping[str, Callable[[Reply, Random], str]]] = {
    "nothing": lambda _, random: random.choice(["", " \n", "\t"]),
    "prose": lambda _, random: f"I would press the button now. {random.randrange(99)}",
    "noise": _noise,
    "cut": _cut,
    "array": lambda reply, _: json.dumps([reply["status"]]),
    "two objects": _two,
    "twice the same name": lambda reply, _: json.dumps(reply)[:-1] + ', "status": "FAIL"}',
    "python": lambda reply, _: repr({**reply, "thought": "it's", "result": None}),
    "trailing comma": lambda reply, _: json.dumps(reply)[:-1] + ",}",
    "not a number": lambda reply, _: json.dumps({**reply, "args": {"text": float("nan")}}),
    "half a character": lambda reply, _: json.dumps({**reply, "thought": "\ud83d"}),
    "nested": lambda reply, random: '{"args": ' * random.choice([120, 5000]) + "1",
    "digits": lambda reply, _: json.dumps(reply)[:-1] + ', "n": ' + "7" * 6000 + "}",
    "no status": _without("status"),
    "unknown status": _changed(status="WAITING"),
    "status of another agent": _changed(status="ASSIGN"),
    "unknown field": _changed(mood="good"),
    "wrong type": _wrong_type,
    "unknown tool": _changed(function="format_disk"),
    "tool of another agent": _changed(function="launch_application"),
    "unknown argument": _changed(args={"text": "x", "force": True, "speed": 3}),
    "argument of the wrong type": _changed(args={"text": {"a": 1}, "button": 4}),
    "unknown id": _changed(control_label="99"),
    "id that is none": _changed(control_label="the button"),
    "name of another control": _changed(control_label="2", control_text="Delete"),
    "no target": lambda reply, _: json.dumps({**reply, "control_label": "", "control_text": ""}),
    "data that nobody saved": _changed(args={"text": {"from": "sales.cells"}}),
    "questions missing": _changed(status="PENDING"),
    "nothing to confirm": lambda reply, _: json.dumps({"status": "CONFIRM"}),
}
_AROUND: Final = ("{}", "```json\n{}\n```", "Here it is:\n{}", "{}\nThat is all.", "<think>{{hm}}</think>{}")


def malformed(seed: int) -> tuple[str, str]:
    """The kind of damage, and a reply that has it."""
    random = Random(seed)  # noqa: S311 - the same replies every time
    kind = list(DAMAGES)[seed % len(DAMAGES)]
    text = DAMAGES[kind](good(random), random)
    return kind, random.choice(_AROUND).format(text) if text.strip() else text
