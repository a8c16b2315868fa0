"""Reader of configuration files and environment variables.

Later ones win: defaults, `$XDG_CONFIG_HOME/deskhand/config.yaml`, `./deskhand.yaml` (the project's), `--config FILE`,
`DESKHAND_SECTION__NAME` variables, options of the command line. The project's file may tighten, never loosen: it may
come from somebody else than the user.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from typing import TypeAlias, cast

import platformdirs
from pydantic import ValidationError

from deskhand.config.sections import (
    ApplicationEntry,
    Configuration,
    GroundingSection,
    KnowledgeSection,
    McpSection,
    ModelsSection,
    NotifySection,
    PolicySection,
    PromptsSection,
    SystemSection,
    TelemetrySection,
)
from deskhand.config.yaml_values import Located, Source, scalar_or_flow, suggestion
from deskhand.core.errors import ConfigurationError

PREFIX = "DESKHAND_"
AnySection: TypeAlias = (
    SystemSection
    | ModelsSection
    | PromptsSection
    | PolicySection
    | KnowledgeSection
    | GroundingSection
    | McpSection
    | TelemetrySection
    | NotifySection
)
_SECTIONS: dict[str, type[AnySection]] = {
    "system": SystemSection,
    "models": ModelsSection,
    "prompts": PromptsSection,
    "policy": PolicySection,
    "knowledge": KnowledgeSection,
    "grounding": GroundingSection,
    "mcp": McpSection,
    "telemetry": TelemetrySection,
    "notify": NotifySection,
}
_BUDGETS = ("max_step", "max_round", "max_seconds", "max_tokens", "max_usd")
_ONLY_HIGHER = ("effect_hold_s", "person_quiet_s")
_ONLY_LOWER = (*_BUDGETS, "max_failed_steps", "max_repeats", "max_fail_per_subtask", "max_fail_per_round")
_ZERO_IS_NO_LIMIT = ("max_repeats",)
_PATHS = ("files", "secrets", "appagent_prompt", "appagent_example_prompt")
_NOT_WRITTEN = {("policy", "project_files")}
_SENDS_SCREEN = "it would send pictures of the screen to a server of its choice"
_OWN_SECTIONS = {
    "models": _SENDS_SCREEN,
    "grounding": _SENDS_SCREEN,
    "mcp": "it would start programs and connect to servers of its choice",
    "telemetry": "it would send what happens in a session to a server of its choice",
    "notify": "it would start programs and send messages to servers of its choice",
}
"""Sections that a project's file cannot set, and the reason."""

_ONLY_VALUE: dict[tuple[str, str], tuple[object, str]] = {
    ("system", "safe_guard"): (True, "it would switch the safe guard off"),
    ("system", "person"): ("stop", "it would act while a person does"),
    ("knowledge", "learn_from_success"): (False, "it would store what happens in this project for all your work"),
}
"""The one value that a project's file may give a setting, and the reason."""

Values = dict[str, dict[str, object]]
Complain = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources of settings. `overrides` are section → name → value, from command line options."""

    environment: Mapping[str, str]
    project: Path
    config_file: Path | None = None
    overrides: Mapping[str, Mapping[str, object]] = field(default_factory=dict[str, Mapping[str, object]])

    @property
    def user_file(self) -> Path:
        home = self.environment.get("XDG_CONFIG_HOME", "")
        base = Path(home) / "deskhand" if Path(home).is_absolute() else platformdirs.user_config_path("deskhand")
        return base / "config.yaml"

    @property
    def secrets_file(self) -> Path:
        return self.user_file.with_name("secrets.env")

    @property
    def project_file(self) -> Path:
        return self.project / "deskhand.yaml"


def load(sources: Sources) -> Configuration:
    """Settings of this process. Raises: ConfigurationError, with every problem and its place."""
    loader = _Loader()
    loader.file(sources.user_file)
    loader.file(sources.project_file, project=True)
    if sources.config_file is not None:
        loader.file(sources.config_file, required=True)
    loader.environment(sources.environment)
    loader.overrides(sources.overrides)
    if loader.problems:
        raise ConfigurationError("\n".join(loader.problems), fix="correct the listed settings, or leave them out")
    return Configuration.model_validate(loader.values)


@dataclass(slots=True)
class _Loader:
    """Settings and problems found so far."""

    values: Values = field(default_factory=dict[str, dict[str, object]])
    problems: list[str] = field(default_factory=list[str])

    def file(self, path: Path, *, project: bool = False, required: bool = False) -> None:
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            if required:
                self.problems.append(f"{path}: there is no such file")
            return
        except (OSError, UnicodeDecodeError) as error:
            self.problems.append(f"{path}: cannot be read: {error}")
            return
        source = Source(str(path))
        root = source.parse(text)
        for section, node in self._sections(root, source).items():
            for name, item in source.mapping(node, section).items():
                complain = partial(source.complain, item.line)
                self._set(section, name, item.plain(), complain, base=path.parent, project=project)
        self.problems.extend(source.problems)

    def environment(self, variables: Mapping[str, str]) -> None:
        for variable, text in sorted(variables.items()):
            section, separator, name = variable.removeprefix(PREFIX).partition("__")
            if not variable.startswith(PREFIX) or not separator:
                self._look_for_single_underscore(variable)
                continue
            complain = partial(self._complain, f"environment variable {variable}")
            source = Source(variable)
            node = scalar_or_flow(text, source)
            if node is None:
                complain("not YAML")
                continue
            self._set(section.lower(), name.lower(), node.plain(), complain)

    def _look_for_single_underscore(self, variable: str) -> None:
        """Complain about a variable that means a setting and would have no effect."""
        section, _, name = variable.removeprefix(PREFIX).partition("_")
        known = _SECTIONS.get(section.lower())
        if variable.startswith(PREFIX) and known is not None and name.lower() in known.model_fields:
            self._complain(f"environment variable {variable}", f"write {PREFIX}{section}__{name}, with two underscores")

    def overrides(self, given: Mapping[str, Mapping[str, object]]) -> None:
        for section, entries in given.items():
            for name, value in entries.items():
                self._set(section, name, value, partial(self._complain, f"option {section}.{name}"))

    def _complain(self, place: str, message: str) -> None:
        self.problems.append(f"{place}: {message}")

    def _sections(self, root: Located | None, source: Source) -> dict[str, Located]:
        return {} if root is None else source.mapping(root, "the configuration", [*_SECTIONS, "applications"])

    def _set(
        self,
        section: str,
        name: str,
        value: object,
        complain: Complain,
        *,
        base: Path | None = None,
        project: bool = False,
    ) -> None:
        """Check and set one setting; paths are relative to `base`."""
        if section == "applications":
            self._set_application(name, value, complain, project=project)
            return
        if section not in _SECTIONS:
            complain(f"unknown section {section!r}{suggestion(section, [*_SECTIONS, 'applications'])}")
            return
        fields = _SECTIONS[section].model_fields
        if name not in fields or (section, name) in _NOT_WRITTEN:
            known = [item for item in fields if (section, item) not in _NOT_WRITTEN]
            complain(f"{section} has no setting {name!r}{suggestion(name, known)}")
            return
        try:
            # Every setting has a default, so that one alone can be checked.
            checked = getattr(_SECTIONS[section].model_validate({name: _based(value, base, name)}), name)
        except ValidationError as error:
            complain(f"{section}.{_first(error)}")
            return
        if project and (problem := self._loosens(section, name, checked)):
            complain(
                f"{section}.{name}: {problem}; a project's file may tighten, never loosen "
                "(your own file, the environment and the command line may)"
            )
            return
        if project and (section, name) == ("policy", "files"):
            name = "project_files"
        self.values.setdefault(section, {})[name] = checked

    def _set_application(self, name: str, value: object, complain: Complain, *, project: bool) -> None:
        if project:
            complain(f"applications.{name}: a project's file cannot start programs; set it in your own file")
            return
        try:
            entry = ApplicationEntry.model_validate(value)
            re.compile(entry.window)
        except ValidationError as error:
            complain(f"applications.{name}: {_first(error)}")
        except re.error as error:
            complain(f"applications.{name}: window: bad regular expression: {error}")
        else:
            self.values.setdefault("applications", {})[name] = entry

    def _loosens(self, section: str, name: str, value: object) -> str:
        """Reason why a project's value would loosen the setting; empty if it does not."""
        if section in _OWN_SECTIONS:
            return _OWN_SECTIONS[section]
        only, why = _ONLY_VALUE.get((section, name), (value, ""))
        if value != only:
            return why
        return self._loosens_system(name, value) if section == "system" else ""

    def _loosens_system(self, name: str, value: object) -> str:
        if name == "stop_key":
            return "it would change how the user stops it"
        now = self.values.get("system", {}).get(name, SystemSection.model_fields[name].default)
        if name == "control_backend" and "omniparser" in _texts(value) and "omniparser" not in _texts(now):
            return "it would have pictures of the screen sent to a server"
        allows, allowed = _limit(name, value), _limit(name, now)
        if name in _ONLY_HIGHER and allows < allowed:
            return f"{value} is less than {now}"
        if name in _ONLY_LOWER and allows > allowed:
            return f"{'no limit' if value is None else value} is more than {now}"
        return ""


def written_settings() -> dict[str, type[AnySection]]:
    """Sections that files and variables can set, by name, beside `applications`."""
    return dict(_SECTIONS)


def project_may(section: str, name: str) -> str | None:
    """Limit of a project's file for a setting; None if the setting cannot be written in a file."""
    if (section, name) in _NOT_WRITTEN:
        return None
    if section in {*_OWN_SECTIONS, "applications"} or (section, name) == ("system", "stop_key"):
        return "nothing"
    if (section, name) in _ONLY_VALUE:
        return f"`{json.dumps(_ONLY_VALUE[section, name][0])}`".replace('"', "")
    if (section, name) == ("system", "control_backend"):
        return "without `omniparser`"
    if section == "system" and name in _ONLY_HIGHER:
        return "more"
    return "less" if section == "system" and name in _ONLY_LOWER else "anything"


def _texts(value: object) -> tuple[object, ...]:
    """A setting that is a list."""
    return cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()


def _limit(name: str, value: object) -> float:
    """Amount that a setting allows; infinity without a limit, zero if it is not a number."""
    if value is None or (name in _ZERO_IS_NO_LIMIT and value == 0):
        return inf
    return value if isinstance(value, int | float) else -inf


def _based(value: object, base: Path | None, name: str) -> object:
    """A path setting made absolute relative to the folder of its file; other values unchanged."""
    if base is None or name not in _PATHS:
        return value
    if isinstance(value, str):
        return base / Path(value).expanduser()
    if isinstance(value, list):
        # The section checks the items of a file's list afterwards.
        items = cast("list[object]", value)
        return [_based(item, base, name) for item in items]
    return value


def _first(error: ValidationError) -> str:
    """The first problem reported by pydantic, with its place in the value."""
    problem = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in problem["loc"] if isinstance(part, int) or part.isidentifier())
    message = problem["msg"].removeprefix("Value error, ").replace("valid tuple", "list")
    given = "" if isinstance(problem["input"], dict) else f", not {problem['input']!r}"
    return f"{f'{where}: ' if where else ''}{message[0].lower()}{message[1:]}{given}"
