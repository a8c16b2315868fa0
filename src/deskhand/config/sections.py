"""The settings, as frozen sections; the names are those of SPEC 5, the defaults those of SPEC 2 and 3.

Durations are in seconds, money in US dollars. A budget of None has no limit.
"""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    model_validator,
)

from deskhand.core.addresses import is_address

Count = Annotated[StrictInt, Field(ge=1)]
Allowance = Annotated[StrictInt, Field(ge=0)]
Seconds = Annotated[StrictFloat, Field(ge=0, allow_inf_nan=False)]
Budget = Annotated[StrictFloat, Field(gt=0, allow_inf_nan=False)]
Price = Annotated[StrictFloat, Field(ge=0, allow_inf_nan=False)]
Texts = tuple[StrictStr, ...]
STOP_CHORD = r"^$|^((ctrl|alt|shift|super)\+){1,4}(escape|pause|delete|end|home|insert|f([1-9]|1[0-2])|[a-z0-9])$"


def _address_or_none(text: str) -> str:
    if text and not is_address(text):
        raise ValueError("it has to be the address of a server, http://HOST:PORT or https://HOST")
    return text


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SystemSection(Section):
    """How sessions run.

    `ask_question` None: on where a person can be reached. `ask_timeout` 0: wait for ever. `max_fail_per_subtask` and
    `max_fail_per_round` are how many FAILs still return to CONTINUE, `max_failed_steps` how many steps in a row may
    fail before FAIL. `max_repeats`: so many times in a row an agent may do the same on an unchanged screen before it is
    warned; once more is FAIL (0: it may for ever). `effect_hold_s`: an action is confirmed only by what still holds
    after so long (0: by what was seen once).

    `person`: what is done where a person uses the desktop too; None: `pause` on a display that was up already, `ignore`
    on desktops of our own. It goes on when they were still for `person_quiet_s`, and gives up after `person_timeout`
    (0: never). `stop_key`: the chord that stops it; None: `ctrl+alt+shift+escape` where `person` is not `ignore` by
    default; empty: none.
    """

    ask_question: StrictBool | None = None
    ask_timeout: Seconds = 300.0
    safe_guard: StrictBool = True
    control_backend: Annotated[tuple[Literal["atspi", "uia", "omniparser"], ...], Field(min_length=1)] = ("atspi",)
    save_full_screen: StrictBool = False
    save_ui_tree: StrictBool = True
    iou_threshold_for_merge: Annotated[StrictFloat, Field(ge=0, le=1)] = 0.1
    history_keys: Texts = ("session_step", "subtask", "action_representation", "result")
    json_parsing_retry: Count = 3
    include_last_screenshot: StrictBool = True
    concat_screenshot: StrictBool = False
    action_sequence: StrictBool = False
    max_step: Count = 50
    max_round: Count | None = None
    max_failed_steps: Allowance = 3
    max_repeats: Allowance = 3
    effect_hold_s: Annotated[StrictFloat, Field(ge=0, le=5)] = 0.12
    max_fail_per_subtask: Allowance = 2
    max_fail_per_round: Allowance = 4
    max_seconds: Budget | None = None
    max_tokens: Count | None = None
    max_usd: Budget | None = None
    person: Literal["pause", "stop", "ignore"] | None = None
    person_quiet_s: Annotated[StrictFloat, Field(ge=0.05, le=3600)] = 3.0
    person_timeout: Seconds = 300.0
    stop_key: Annotated[StrictStr, Field(pattern=STOP_CHORD)] | None = None
    on_error: Literal["stop", "next_round"] = "stop"
    mode: Literal["normal", "follower", "batch"] = "normal"


class PriceEntry(Section):
    """Dollars for a million tokens. `cached_input_per_mtok` None: what a provider had kept costs as any other."""

    input_per_mtok: Price
    output_per_mtok: Price
    cached_input_per_mtok: Price | None = None


class ModelsSection(Section):
    """Which language models decide, each as `provider:name`; empty: `model`, which `--model` sets.

    `backup` is asked where the first one failed or gave no usable reply. `timeout_s` holds for one call.
    `max_output_tokens` None: as many as the provider gives. `pictures` False: they are asked with text alone.
    `prices`: by the model's name, with or without its provider, where no price list has it or another price holds.
    `embeddings`: finds what was learned by its meaning too; empty: by its words alone.
    `secrets`: a file of NAME=VALUE lines with keys, beside the environment; None: `secrets.env` beside the user's file.
    """

    model: StrictStr = ""
    host: StrictStr = ""
    app: StrictStr = ""
    evaluation: StrictStr = ""
    backup: StrictStr = ""
    embeddings: StrictStr = ""
    timeout_s: Annotated[StrictFloat, Field(gt=0, allow_inf_nan=False)] = 120.0
    max_output_tokens: Count | None = None
    temperature: Annotated[StrictFloat, Field(ge=0, le=2)] | None = None
    pictures: StrictBool = True
    secrets: Path | None = None
    prices: dict[StrictStr, PriceEntry] = Field(default_factory=dict)


class PromptsSection(Section):
    """Template files that take the place of those in the package; None: the package's."""

    appagent_prompt: Path | None = None
    appagent_example_prompt: Path | None = None


class ApplicationEntry(Section):
    """How an application is started: an argument vector, never a shell line. `{file}` stands for the document.

    `window` is a regular expression that the title of its window matches.
    """

    argv: Annotated[Texts, Field(min_length=1)]
    argv_with_file: Texts = ()
    window: StrictStr = ""
    environment: dict[StrictStr, StrictStr] = Field(default_factory=dict)


class PolicySection(Section):
    """Policy rule files: `files` are asked before the shipped rules; `project_files` may tighten only."""

    files: tuple[Path, ...] = ()
    project_files: tuple[Path, ...] = ()


class KnowledgeSection(Section):
    """What agents are told of what was learned, looked up once for each subtask.

    `limit` passages at most, of `max_tokens` together. `learn_from_success`: what a session that succeeded did is
    learned when it ends.
    """

    enabled: StrictBool = True
    limit: Count = 4
    max_tokens: Count = 800
    learn_from_success: StrictBool = False


class GroundingSection(Section):
    """The server that finds controls in pictures, asked where `system.control_backend` has `omniparser`.

    `address`: of a server that speaks as OmniParser v2 does, `http://HOST:PORT`. It is sent a picture of the window in
    each step. `deadline_s` holds for one picture.
    """

    address: Annotated[StrictStr, AfterValidator(_address_or_none)] = ""
    deadline_s: Annotated[StrictFloat, Field(gt=0, allow_inf_nan=False)] = 20.0


ServerName = Annotated[StrictStr, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]


class ToolServerEntry(Section):
    """A server whose tools join ours as `SERVER.TOOL`, over the Model Context Protocol.

    Either `command` (an argument vector; it is spoken to over its stdin and stdout) or `address` (`http://…`,
    streamable HTTP) with `headers`. In `environment` and `headers`, `${NAME}` stands for a variable of the environment
    or of the secrets file. `agents` and `applications` (as windows report them; empty: all) are offered its tools;
    `tools`: only these of them. `reads`: those that change nothing, of all others a person is asked. `search`: the one
    that is asked for what may help with a subtask, in its `search_argument`. `connect_s`, and `deadline_s` of one call.
    """

    command: Texts = ()
    environment: dict[StrictStr, StrictStr] = Field(default_factory=dict)
    address: Annotated[StrictStr, AfterValidator(_address_or_none)] = ""
    headers: dict[StrictStr, StrictStr] = Field(default_factory=dict)
    agents: tuple[Literal["app", "host", "shell"], ...] = ("app",)
    applications: Texts = ()
    tools: Texts = ()
    reads: Texts = ()
    search: StrictStr = ""
    search_argument: StrictStr = "query"
    connect_s: Annotated[StrictFloat, Field(gt=0, le=120)] = 10.0
    deadline_s: Annotated[StrictFloat, Field(gt=0, le=600)] = 30.0

    @model_validator(mode="after")
    def _one_way_to_it(self) -> Self:
        if bool(self.command) == bool(self.address):
            raise ValueError("either command or address says where the server is")
        return self


class McpSection(Section):
    """Servers whose tools join the catalogue, by the name that their tools begin with."""

    servers: dict[ServerName, ToolServerEntry] = Field(default_factory=dict)


class Configuration(Section):
    """All settings of a process, loaded once."""

    system: SystemSection = SystemSection()
    models: ModelsSection = ModelsSection()
    prompts: PromptsSection = PromptsSection()
    policy: PolicySection = PolicySection()
    knowledge: KnowledgeSection = KnowledgeSection()
    grounding: GroundingSection = GroundingSection()
    mcp: McpSection = McpSection()
    applications: dict[str, ApplicationEntry] = Field(default_factory=dict)
