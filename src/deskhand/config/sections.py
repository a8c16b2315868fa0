"""The settings, as frozen sections; the names are those of SPEC 5, the defaults those of SPEC 2 and 3.

Durations are in seconds, money in US dollars. What stands below a setting says what it does. docs/settings.md is
written from it (`make docs`), so that None is called what a configuration file calls it: null.
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
    """How sessions run: who is asked, what is kept, and when a session ends."""

    ask_question: StrictBool | None = None
    """Whether agents may ask the person questions; null: where a person can be reached. `--ask` of the command line."""

    ask_timeout: Seconds = 300.0
    """How long an answer or an approval is waited for; 0: for ever."""

    safe_guard: StrictBool = True
    """Whether what a rule of the policy wants approved is asked; false: it is done without being asked."""

    control_backend: Annotated[tuple[Literal["atspi", "uia", "omniparser"], ...], Field(min_length=1)] = ("atspi",)
    """Where controls come from: the accessibility tree, and with `omniparser` the server of `grounding.address` too."""

    save_full_screen: StrictBool = False
    """Whether the log keeps a picture of the whole desktop for each step, beside that of the window."""

    save_ui_tree: StrictBool = True
    """Whether the log keeps the controls of each step as JSON."""

    iou_threshold_for_merge: Annotated[StrictFloat, Field(ge=0, le=1)] = 0.1
    """How much a box that only a picture shows may overlap a control of the tree and still be another control."""

    history_keys: Texts = ("session_step", "subtask", "action_representation", "result")
    """Which fields of earlier steps an agent is told of other agents."""

    json_parsing_retry: Count = 3
    """How many replies a model has in all to give one that can be used."""

    include_last_screenshot: StrictBool = True
    """Whether a model is shown the window of its last step too, with what it acted on framed."""

    concat_screenshot: StrictBool = False
    """Whether the clean and the labelled picture are sent side by side as one."""

    action_sequence: StrictBool = False
    """Whether a model may answer an ordered list of actions instead of one."""

    max_step: Count = 50
    """How many steps all agents of a session have together. `--max-step`."""

    max_round: Count | None = None
    """How many requests one session takes; null: any number. `--max-round`."""

    max_failed_steps: Allowance = 3
    """How many steps in a row may fail; one more ends the subtask as failed."""

    max_repeats: Allowance = 3
    """How often in a row an agent may do the same on an unchanged screen before it is warned; once more ends the
    subtask as failed. 0: for ever."""

    effect_hold_s: Annotated[StrictFloat, Field(ge=0, le=5)] = 0.12
    """How long an effect has to last until an action is confirmed; 0: it is enough that it was seen once."""

    max_fail_per_subtask: Allowance = 2
    """How often an agent may fail at its subtask and try again."""

    max_fail_per_round: Allowance = 4
    """How often all agents may fail during one request and try again."""

    max_seconds: Budget | None = None
    """How long a session may last; null: for ever. `--max-seconds`."""

    max_tokens: Count | None = None
    """How many tokens all calls of models may take; null: any number. `--max-tokens`."""

    max_usd: Budget | None = None
    """What all calls of models may cost, in US dollars; null: any amount. `--max-usd`."""

    person: Literal["pause", "stop", "ignore"] | None = None
    """What is done where a person uses the desktop too; null: `pause` on a display that was up already, `ignore` on
    desktops of our own."""

    person_quiet_s: Annotated[StrictFloat, Field(ge=0.05, le=3600)] = 3.0
    """How long a person has to be still until a paused session goes on."""

    person_timeout: Seconds = 300.0
    """How long one pause may last until the session gives up; 0: for ever."""

    stop_key: Annotated[StrictStr, Field(pattern=STOP_CHORD)] | None = None
    """The chord that stops a session, such as `ctrl+alt+shift+escape`; null: that one where `person` is not `ignore` by
    default; empty: none."""

    on_error: Literal["stop", "next_round"] = "stop"
    """What comes after a request that ended in an error: the end of the session, or the next request."""

    mode: Literal["normal", "follower", "batch"] = "normal"
    """Whether a session takes requests, follows the steps of a plan, or works through a list of tasks. `--mode`."""


class PriceEntry(Section):
    """What a model costs, in US dollars for a million tokens."""

    input_per_mtok: Price
    """What it is sent."""

    output_per_mtok: Price
    """What it answers."""

    cached_input_per_mtok: Price | None = None
    """What it is sent and the provider had kept; null: as much as any other."""


class ModelsSection(Section):
    """Which language models decide, each as `provider:name`."""

    model: StrictStr = ""
    """Who decides where nothing else says so. `--model`."""

    host: StrictStr = ""
    """Who splits requests and picks applications; empty: `model`."""

    app: StrictStr = ""
    """Who works in the applications; empty: `model`."""

    evaluation: StrictStr = ""
    """Who judges each request when it is over; empty: nobody."""

    backup: StrictStr = ""
    """Who is asked where another one failed or gave no usable reply; empty: nobody."""

    embeddings: StrictStr = ""
    """What finds what was learned by its meaning; empty: it is found by its words alone."""

    timeout_s: Annotated[StrictFloat, Field(gt=0, allow_inf_nan=False)] = 120.0
    """How long one call may take."""

    max_output_tokens: Count | None = None
    """How many tokens one reply may have; null: as many as the provider gives."""

    temperature: Annotated[StrictFloat, Field(ge=0, le=2)] | None = None
    """The temperature that models are asked with; null: the provider's own."""

    pictures: StrictBool = True
    """Whether models are sent pictures; false: they are asked with text alone."""

    secrets: Path | None = None
    """A file of NAME=VALUE lines with keys, read beside the environment; null: `secrets.env` beside the user's file."""

    prices: dict[StrictStr, PriceEntry] = Field(default_factory=dict)
    """Prices by a model's name, with or without its provider; they go before the price lists."""


class PromptsSection(Section):
    """Files that take the place of parts of the prompts."""

    appagent_prompt: Path | None = None
    """The template of an application agent's prompt; null: the package's."""

    appagent_example_prompt: Path | None = None
    """The examples that an application agent is shown; null: the package's."""


class ApplicationEntry(Section):
    """How an application is started: an argument vector, never a shell line. `{file}` stands for the document."""

    argv: Annotated[Texts, Field(min_length=1)]
    """What starts it without a document."""

    argv_with_file: Texts = ()
    """What starts it with a document, where `{file}` stands; empty: it opens none."""

    window: StrictStr = ""
    """A regular expression that the title of its window matches; empty: any window of the program."""

    environment: dict[StrictStr, StrictStr] = Field(default_factory=dict)
    """Variables that it gets beside those of the desktop."""


class PolicySection(Section):
    """Files with rules about which actions are allowed, asked about or denied."""

    files: tuple[Path, ...] = ()
    """Rule files that are asked before the shipped rules; those that a project's file names can only tighten."""

    project_files: tuple[Path, ...] = ()
    """Those that a project's file names as `files`; the reader of the files sets it."""


class KnowledgeSection(Section):
    """What agents are told of what was learned, looked up once for each subtask."""

    enabled: StrictBool = True
    """Whether anything is looked up."""

    limit: Count = 4
    """How many passages an agent is told at most."""

    max_tokens: Count = 800
    """How many tokens they may have together."""

    learn_from_success: StrictBool = False
    """Whether what a session that succeeded did is learned when it ends."""


class GroundingSection(Section):
    """The server that finds controls in pictures, asked where `system.control_backend` has `omniparser`."""

    address: Annotated[StrictStr, AfterValidator(_address_or_none)] = ""
    """`http://HOST:PORT` of a server that speaks as OmniParser v2 does; it is sent pictures of the window."""

    deadline_s: Annotated[StrictFloat, Field(gt=0, allow_inf_nan=False)] = 20.0
    """How long the answer about one picture may take."""


ServerName = Annotated[StrictStr, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]


class ToolServerEntry(Section):
    """A server whose tools join ours as `SERVER.TOOL`, over the Model Context Protocol.

    In `environment` and `headers`, `${NAME}` stands for a variable of the environment or of the secrets file.
    """

    command: Texts = ()
    """The argument vector that starts it, where it is spoken to over its stdin and stdout; else `address` says where it
    is."""

    environment: dict[StrictStr, StrictStr] = Field(default_factory=dict)
    """The variables that `command` gets beside a bare environment."""

    address: Annotated[StrictStr, AfterValidator(_address_or_none)] = ""
    """`http://…` of a server that speaks streamable HTTP; else `command` starts it."""

    headers: dict[StrictStr, StrictStr] = Field(default_factory=dict)
    """What each request to `address` carries."""

    agents: tuple[Literal["app", "host", "shell"], ...] = ("app",)
    """Which agents are offered its tools."""

    applications: Texts = ()
    """In which applications, by the names that `deskhand windows` prints; empty: in all."""

    tools: Texts = ()
    """Which of its tools are offered; empty: all."""

    reads: Texts = ()
    """Which of its tools change nothing; of all others a person is asked."""

    search: StrictStr = ""
    """The tool that is asked what may help with a subtask; empty: none."""

    search_argument: StrictStr = "query"
    """The argument of `search` that takes the words."""

    connect_s: Annotated[StrictFloat, Field(gt=0, le=120)] = 10.0
    """How long it may take until it is connected."""

    deadline_s: Annotated[StrictFloat, Field(gt=0, le=600)] = 30.0
    """How long one call may take."""

    @model_validator(mode="after")
    def _one_way_to_it(self) -> Self:
        if bool(self.command) == bool(self.address):
            raise ValueError("either command or address says where the server is")
        return self


class McpSection(Section):
    """Servers whose tools join the catalogue."""

    servers: dict[ServerName, ToolServerEntry] = Field(default_factory=dict)
    """The servers, by the name that their tools begin with."""


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
    """Programs by the name that they are called by, beside those that are known."""
