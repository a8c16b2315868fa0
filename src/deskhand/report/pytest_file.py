"""A playbook as a pytest file: a test with locators and expectations, as a tester writes it by hand."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deskhand.models.steps import Parameter, ParameterType, Playbook
from deskhand.report.pytest_steps import StepWriter
from deskhand.report.python_text import Call, identifier, text_literal, value_literal
from deskhand.report.script_plan import Origin, Script, script_of


def pytest_file(playbook: Playbook, origin: Origin) -> str:
    """The text of the file. Parameters are constants; those without a default come from the environment.

    Raises: UsageError for a step that a test cannot express, with its line and the reason.
    """
    body = StepWriter(script_of(playbook, origin))
    body.write()
    return "\n".join(_File(body.script, body).lines()) + "\n"


@dataclass(frozen=True, slots=True)
class _File:
    """The file around the body of the test."""

    script: Script
    body: StepWriter

    def lines(self) -> Iterator[str]:
        fixtures = [line for each in self._passed() for line in self._fixture(each)]
        yield "\n\n".join("\n".join(block) for block in self._head(bool(fixtures)) if block)
        yield from ("", "")
        yield from fixtures
        *before, last = Call(f"def test_{self._name()}", self._arguments()).lines(depth=0)
        yield from (*before, f"{last} -> None:")
        yield from self.body.lines

    def _name(self) -> str:
        return identifier(self.script.playbook.name).removeprefix("test_")

    def _head(self, has_fixtures: bool) -> Iterator[list[str]]:
        used = self.body.used
        written = [each for each in self._passed() if self.script.written(each)]
        read = [each for each in self._passed() if not self.script.written(each)]
        standard = {"os": bool(read), "re": "re" in used, "shutil": "shutil" in used}
        has_path = bool(written) or bool(used & {"Path", "tmp_path"})
        made_from = self.script.origin.made_from.replace('"', "").replace("\\", "")
        yield [f'"""Made from {made_from}."""']
        yield [
            *(f"import {name}" for name, wanted in standard.items() if wanted),
            *(["from pathlib import Path"] if has_path else []),
        ]
        yield [
            *(["import pytest"] if has_fixtures else []),
            *(["from deskhand.sync import Desktop"] if "desktop" in used else []),
            *(["from deskhand.testing import expect"] if "expect" in used else []),
            *(["from deskhand.testing.plugin import Launch"] if "launch" in used else []),
        ]
        yield [f"{each.name.upper()} = {value_literal(each.default, str)}" for each in self._constants()]

    def _constants(self) -> list[Parameter]:
        return [each for each in self._used() if self.script.is_constant(each)]

    def _passed(self) -> list[Parameter]:
        """Parameters that the test takes as arguments."""
        return [each for each in self._used() if not self.script.is_constant(each)]

    def _used(self) -> list[Parameter]:
        every = self.script.playbook.parameters.values()
        return [each for each in every if each.name in self.body.used and each.type is not ParameterType.SELECTOR]

    def _fixture(self, parameter: Parameter) -> list[str]:
        if self.script.written(parameter):
            name = Path(str(parameter.default or f"{parameter.name}.txt")).name
            value, given = f"str(tmp_path / {text_literal(name)})", "tmp_path: Path"
            why = "A file in the test's own folder."
        else:
            variable = f"TEST_{parameter.name.upper()}"
            value, given = f'os.environ["{variable}"]', ""
            why = f"From the environment, in no file: {variable}."
        head = f"def {parameter.name}({given}) -> str:"
        return ["@pytest.fixture", head, f'    """{why}"""', f"    return {value}", "", ""]

    def _arguments(self) -> tuple[str, ...]:
        types = {"launch": "Launch", "desktop": "Desktop", "tmp_path": "Path"}
        own = (f"{name}: {kind}" for name, kind in types.items() if name in self.body.used)
        return (*own, *(f"{each.name}: str" for each in self._passed()))
