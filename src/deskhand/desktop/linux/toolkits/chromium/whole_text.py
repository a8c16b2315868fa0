"""Whole texts of controls, of which their own text may be a part."""

# upstream: not reported
# seen in: 156

from typing import Final

from deskhand.core.errors import ActionRefused
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import Deed, interfaces_of, whole_text
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.roles import COMBO_BOX, EDITABLE, ENTRY, SPIN_BUTTON, STATIC
from deskhand.desktop.linux.toolkits.chromium import spin_button
from deskhand.desktop.linux.toolkits.chromium.combo_box import Choice

_MOST_BLOCKS: Final = 5000
_LEVELS: Final = 20
"""Levels of blocks of a text, as of lists in lists."""


async def text_of_page(deed: Deed, ref: Ref, role: int, text: str, described: str) -> str:
    """Return the displayed text of a control whose own text is `text`. Raises: ActionRefused, else as `Deed`."""
    if role == COMBO_BOX and set(text) == {calls.EMBEDDED}:
        return await _chosen(deed, ref)
    if role == SPIN_BUTTON and calls.VALUE in await interfaces_of(deed, ref):
        replies = await deed.ask_all(spin_button.ask_shown(ref))
        return spin_button.renewed(text, replies) if text else spin_button.shown(replies)
    if text.endswith("\n") and await _is_area(deed, ref):
        return text.removesuffix("\n")
    if calls.EMBEDDED not in text:
        return text
    state = calls.bits_in(await deed.ask(calls.get_state(ref))) if role != ENTRY else EDITABLE
    return await _of_blocks(deed, ref, text, described) if state & EDITABLE else text


async def _is_area(deed: Deed, ref: Ref) -> bool:
    """True for a `textarea`: once a line break was typed into it, its text has one more at the end, which is none."""
    return calls.attributes_in(await deed.ask(calls.get_attributes(ref))).get("tag") == "textarea"


async def _of_blocks(deed: Deed, ref: Ref, text: str, described: str, levels: int = _LEVELS) -> str:
    """Return a text with the texts of its blocks in their places, in lines if there is nothing else.

    Raises: ActionRefused (there are too many of them).
    """
    within = calls.refs_in(await deed.ask(calls.get_children(ref))) if levels else []
    if not levels or len(within) > _MOST_BLOCKS:
        raise ActionRefused(
            f"{described} has more blocks of text in it than are read.", fix="Give it keys, or copy its text."
        )
    roles = await deed.ask_all([calls.get_role(each) for each in within])
    blocks = [each for each, role in zip(within, roles, strict=True) if calls.int_in(role) != STATIC]
    if len(blocks) != text.count(calls.EMBEDDED):
        return text
    told = map(calls.text_in, await deed.ask_all([calls.get_text(block) for block in blocks]))
    texts = [text or await whole_text(deed, block) for block, text in zip(blocks, told, strict=True)]
    texts = [
        await _of_blocks(deed, block, text, described, levels - 1) if calls.EMBEDDED in text else text
        for block, text in zip(blocks, texts, strict=True)
    ]
    if set(text) == {calls.EMBEDDED}:
        return "\n".join(text.removesuffix("\n") for text in texts)
    between = text.split(calls.EMBEDDED)
    return "".join(part for pair in zip(between, [*texts, ""], strict=True) for part in pair)


async def _chosen(deed: Deed, box: Ref) -> str:
    """Return the name of the selected item of a combo box, "" if there is none."""
    names: list[str] = []
    await deed.follow(lambda post: Choice(post, box, names.append).read())
    return "".join(names)
