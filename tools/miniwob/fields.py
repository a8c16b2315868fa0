"""Requests that are done by filling fields, also from tables and texts."""

import operator
import re

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import pairs_of
from tools.miniwob.page import FIELDS, Page, words
from tools.miniwob.rules import MOST_TURNS, number_in, rule


@rule(
    r'Enter "(.*)" into the text field and press Submit\.',
    r'Type "(.*)" in (all upper case|all lower case) letters in the text input and press Submit\.',
)
async def enter_text(page: Page, match: re.Match[str]) -> None:
    case = match[2] if match.re.groups > 1 else ""
    text = match[1].upper() if "upper" in case else match[1].lower() if "lower" in case else match[1]
    await page.fill(page.fields[0], text)
    await page.submit()


@rule(r'Enter the password "(.*)" into both text fields and press submit\.')
async def enter_password(page: Page, match: re.Match[str]) -> None:
    for field in page.fields:
        await page.fill(field, match[1])
    await page.submit()


@rule(r'Enter the username "(.*)" and the password "(.*)" into the text fields and press login\.')
async def log_in(page: Page, match: re.Match[str]) -> None:
    for place, text in enumerate(match.groups()):
        for _ in range(MOST_TURNS):
            await page.fill(page.fields[place], text)
            await page.look()
            if not await _pop_up_is_dismissed(page):
                break
    await page.click(next(each for each in page.of(Role.BUTTON) if each.name in {"Login", "OK"}))
    if not page.over:
        await page.look()
        if await _pop_up_is_dismissed(page):
            await log_in(page, match)


async def _pop_up_is_dismissed(page: Page) -> bool:
    """Cancel a question in front of the page, if there is one."""
    cancel = page.maybe("Cancel", Role.BUTTON)
    if cancel is not None:
        await page.click(cancel)
        await page.look()
    return cancel is not None


@rule(r"Focus into the textbox\.", r"Focus into the (\w+) input textbox\.")
async def focus(page: Page, match: re.Match[str]) -> None:
    await page.click(page.fields[number_in(match[1]) - 1 if match.re.groups else 0])


@rule(r"Enter (\d+)/(\d+)/(\d+) as the date and hit submit\.")
async def enter_date(page: Page, match: re.Match[str]) -> None:
    month, day, year = match.groups()
    field = next(each for each in page.of(Role.TEXTBOX) if "editable" not in each.states)
    await page.fill(field, f"{year}-{month}-{day}")
    await page.submit()


@rule(r"Enter (\d+):(\d+) (AM|PM) as the time and press submit\.")
async def enter_time(page: Page, match: re.Match[str]) -> None:
    hour, minute, half = match.groups()
    await page.fill(page.of(Role.TEXTBOX)[0], f"{int(hour) % 12 + 12 * (half == 'PM'):02}:{minute}")
    await page.submit()


@rule(
    r"Copy the text in the textarea below, paste it into the textbox and press Submit\.",
    r"Copy the text from the (\w+) text area below and paste it into the text input, then press Submit\.",
)
async def copy(page: Page, match: re.Match[str]) -> None:
    areas = [each for each in page.fields if "multi_line" in each.states]
    source = areas[number_in(match[1]) - 1 if match.re.groups else 0]
    await page.click(source)
    await page.keys("{VK_CONTROL}a")
    await page.keys("{VK_CONTROL}c")
    await page.look()
    await page.click(next(each for each in page.fields if "multi_line" not in each.states))
    await page.keys("{VK_CONTROL}v")
    await page.submit()


@rule(r'Find the (\w+) word in the paragraph, type that into the textbox and press "Submit"\.')
async def find_word(page: Page, match: re.Match[str]) -> None:
    word = page.of(Role.PARAGRAPH)[0].value.split()[number_in(match[1]) - 1]
    await page.fill(page.fields[0], word.strip(".,"))
    await page.submit()


@rule(r"Find the last word in the text area, enter it into the text field and hit Submit\.")
async def last_word(page: Page, _match: re.Match[str]) -> None:
    area = next(each for each in page.fields if "multi_line" in each.states)
    result = await page.window.act_on(area, await page.window.observe(), "texts", check=False)
    text = dict(pairs_of(result.result)).get("text", "")
    word = str(text or area.value).split()[-1]
    await page.fill(next(each for each in page.fields if "multi_line" not in each.states), word)
    await page.submit()


@rule(r"Scroll the textarea to the (bottom|top) of the text hit submit\.")
async def scroll_text(page: Page, match: re.Match[str]) -> None:
    await page.click(page.fields[0])
    await page.keys("{VK_CONTROL}{END}" if match[1] == "bottom" else "{VK_CONTROL}{HOME}")
    await page.submit()


@rule(r'Scroll to the bottom of the textarea, enter the name "(.+)" then press "(\w+)"')
async def agree(page: Page, match: re.Match[str]) -> None:
    text = next(each for each in page.of(Role.TEXTBOX) if "multi_line" in each.states)
    await page.act(text, "wheel_mouse_input", wheel_dist=-30)
    await page.look()
    await page.fill(next(each for each in page.of(Role.TEXTBOX) if "multi_line" not in each.states), match[1])
    await page.submit(match[2])


@rule(r"Solve the math problem and type your answer into the textbox\. Press submit when done\.")
async def calculate(page: Page, _match: re.Match[str]) -> None:
    problem = next(each for each in page.area if re.match(r"-?\d+ \S -?\d+ =", words(each)))
    left, sign, right, *_ = words(problem).split()
    signs = {"+": operator.add, "-": operator.sub, "x": operator.mul, "*": operator.mul}
    await page.fill(page.fields[0], str(signs[sign](int(left), int(right))))
    await page.submit()


@rule(r"Solve for x and type your answer into the textbox\. Press Submit when done\.")
async def algebra(page: Page, _match: re.Match[str]) -> None:
    problem = next(each for each in page.area if re.match(r"(x|-?\d+) [+-] (x|-?\d+) = -?\d+", words(each)))
    left, sign, right, _, result = words(problem).split()
    if left == "x":
        answer = int(result) - int(right) if sign == "+" else int(result) + int(right)
    else:
        answer = int(result) - int(left) if sign == "+" else int(left) - int(result)
    await page.fill(page.fields[0], str(answer))
    await page.submit()


@rule(r"Guess the number between 0-9 and press Submit\. Use the feedback below to find the right number\.")
async def guess(page: Page, _match: re.Match[str]) -> None:
    low, high = 0, 9
    while low <= high and not page.over:
        number = (low + high) // 2
        await page.fill(page.fields[0], str(number))
        await page.submit()
        if not await page.episode.ended(0.2):
            await page.look()
            feedback = " ".join(words(each) for each in page.area)
            low, high = (number + 1, high) if "higher" in feedback else (low, number - 1)


@rule(r"Enter the value of (.+) into the text field and press Submit\.")
async def read_table(page: Page, match: re.Match[str]) -> None:
    await page.fill(page.fields[0], _beside(page, match[1]))
    await page.submit()


@rule(r"Enter the value that corresponds with each label into the form and submit when done\.")
async def read_labels(page: Page, _match: re.Match[str]) -> None:
    labels = [words(each) for each in page.of(Role.LABEL)]
    for label, field in zip(labels, page.fields, strict=True):
        await page.fill(field, _beside(page, label.rstrip(":")))
    await page.submit()


def _beside(page: Page, name: str) -> str:
    cells = page.of(Role.CELL)
    return words(cells[[words(each) for each in cells].index(name) + 1])


@rule(r"Search for (.+) movies directed by (.+) from year (\d+)\.")
async def search_movies(page: Page, match: re.Match[str]) -> None:
    wanted = dict(zip(("Genre", "Director", "Year"), match.groups(), strict=True))
    for name, text in wanted.items():
        await page.look()
        await page.fill(_field_of(page, name), text)
    await page.submit("Submit" if page.maybe("Submit") else "Search")


def _field_of(page: Page, name: str) -> TargetInfo:
    """Return the field that has a name, or whose label is in its row, else on the side where labels are."""
    if named := page.maybe(name, *FIELDS, exact=False):
        return named
    label, fields = page.find(name, Role.SECTION, Role.LABEL, Role.ROWHEADER, Role.CELL, exact=False), page.fields
    if beside := [each for each in fields if abs(each.rect.center.y - label.rect.center.y) < 8]:
        return beside[0]
    labels = [each for each in page.area if words(each).partition(" ")[0] in {"Genre", "Director", "Year"}]
    fields_first = fields[0].rect.top < min(each.rect.top for each in labels)
    side = [each for each in fields if (each.rect.top < label.rect.top) == fields_first]
    return min(side, key=lambda each: abs(each.rect.center.y - label.rect.center.y))


@rule(r"Type the text below into the text field and press Submit\.")
async def read_letters(page: Page, _match: re.Match[str]) -> None:
    letters = sorted((each for each in page.of(Role.SECTION) if len(words(each)) == 1), key=lambda each: each.rect.left)
    await page.fill(page.fields[0], "".join(words(each) for each in letters))
    await page.submit()
