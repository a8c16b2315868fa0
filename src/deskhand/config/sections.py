"""The settings, as frozen sections; the names are those of contract 5, the defaults those of contract 2 and 3.

Durations are in seconds, money in US dollars. The docstring below a setting is its line in docs/settings.md
(`make docs`); None is written as in a configuration file: null.
"""

import sys
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

from deskhand.core.text import is_address

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


def _of_this_system(sources: tuple[str, ...]) -> tuple[str, ...]:
    return of_system(sources, sys.platform)


def of_system(sources: tuple[str, ...], platform: str) -> tuple[str, ...]:
    """Return sources of controls that a system has. Raises: ValueError for one of another system."""
    here, others = ("Windows", {"atspi"}) if platform == "win32" else ("Linux", {"win32", "uia"})
    if others.intersection(sources):
        raise ValueError(f"on {here} it takes {'win32, uia' if platform == 'win32' else 'atspi'} and omniparser")
    return sources


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SystemSection(Section):
    """Questions and approvals, logged pictures, the limits of a session."""

    ask_question: StrictBool | None = None
    """Let agents ask the user questions; null: only if a user can answer. `--ask` on the command line."""

    ask_timeout: Seconds = 300.0
    """Timeout of an answer or an approval; 0: none."""

    safe_guard: StrictBool = True
    """Ask before actions that a rule of the policy wants approved; false: they are done without asking."""

    control_backend: Annotated[
        tuple[Literal["atspi", "win32", "uia", "omniparser"], ...], Field(min_length=1), AfterValidator(_of_this_system)
    ] = ("win32",) if sys.platform == "win32" else ("atspi",)
    """Sources of controls: the accessibility tree, and with `omniparser` the server at `grounding.address` too. On
    Windows the tree is `win32` (default), `uia` (UI Automation, untried), or with both `uia` where `win32` is empty."""

    save_full_screen: StrictBool = False
    """Keep a screenshot of the whole desktop for each step in the log, beside that of the window."""

    save_ui_tree: StrictBool = True
    """Keep the controls of each step in the log, as JSON."""

    iou_threshold_for_merge: Annotated[StrictFloat, Field(ge=0, le=1)] = 0.1
    """Greatest overlap (intersection over union) at which a box of the picture and a control of the tree are two."""

    history_keys: Texts = ("session_step", "subtask", "action_representation", "result")
    """Fields of other agents' earlier steps that an agent's prompt contains."""

    json_parsing_retry: Count = 3
    """Number of replies a model may give, in all, until one can be used."""

    include_last_screenshot: StrictBool = True
    """Send the screenshot of the last step too, with the control that was acted on framed."""

    concat_screenshot: StrictBool = False
    """Send the clean and the labelled screenshot side by side as one picture."""

    action_sequence: StrictBool = False
    """Let a model reply with an ordered list of actions instead of one."""

    max_step: Count = 50
    """Most steps of a session, all agents together. `--max-step`."""

    max_round: Count | None = None
    """Most requests of one session; null: no limit. `--max-round`."""

    max_failed_steps: Allowance = 3
    """Most steps in a row that may fail; one more ends the subtask as failed."""

    max_repeats: Allowance = 3
    """Times in a row an agent may do the same on an unchanged screen before it is warned; once more ends the
    subtask as failed. 0: no limit."""

    application_interface: StrictBool = True
    """Use the interface that LibreOffice offers to other programs (UNO), where a tool can; false: its windows alone."""

    effect_hold_s: Annotated[StrictFloat, Field(ge=0, le=5)] = 0.12
    """Time an effect has to last until an action is confirmed; 0: seen once is enough."""

    max_fail_per_subtask: Allowance = 2
    """Times an agent may fail at its subtask and try again."""

    max_fail_per_round: Allowance = 4
    """Times all agents together may fail during one request and try again."""

    max_seconds: Budget | None = None
    """Longest time a session may take; null: no limit. `--max-seconds`."""

    max_tokens: Count | None = None
    """Most tokens of all model calls; null: no limit. `--max-tokens`."""

    max_usd: Budget | None = None
    """Highest cost of all model calls, in US dollars; null: no limit. `--max-usd`."""

    person: Literal["pause", "stop", "ignore"] | None = None
    """Reaction to a user at the same desktop; null: `pause` on a display that was up already and while a viewer is
    open, `ignore` on other private desktops."""

    person_quiet_s: Annotated[StrictFloat, Field(ge=0.05, le=3600)] = 3.0
    """Time without user input until a paused session goes on."""

    person_timeout: Seconds = 300.0
    """Longest pause until the session gives up; 0: no limit."""

    stop_key: Annotated[StrictStr, Field(pattern=STOP_CHORD)] | None = None
    """Key chord that stops a session, such as `ctrl+alt+shift+escape`; null: that one on a display that was up
    already; empty: none."""

    on_error: Literal["stop", "next_round"] = "stop"
    """Reaction to a request that ended in an error: end the session, or go on with the next request."""

    mode: Literal["normal", "follower", "batch"] = "normal"
    """Kind of session: requests, the steps of a plan, or a list of tasks. `--mode`."""


class PriceEntry(Section):
    """Price of a model, in US dollars for a million tokens."""

    input_per_mtok: Price
    """Price of input."""

    output_per_mtok: Price
    """Price of output."""

    cached_input_per_mtok: Price | None = None
    """Price of input that the provider had cached; null: that of other input."""


class ModelsSection(Section):
    """Language models, each as `provider:name`."""

    model: StrictStr = ""
    """Model of every agent that has none of its own. `--model`."""

    host: StrictStr = ""
    """Model of the HostAgent, which splits requests and picks applications; empty: `model`."""

    app: StrictStr = ""
    """Model of the AppAgents, which work in the applications; empty: `model`."""

    evaluation: StrictStr = ""
    """Model that judges each request when it is over; empty: none."""

    backup: StrictStr = ""
    """Model that is asked if another one failed or gave no usable reply; empty: none."""

    embeddings: StrictStr = ""
    """Embedding model for searching knowledge by meaning; empty: the search is by words alone."""

    timeout_s: Annotated[StrictFloat, Field(gt=0, allow_inf_nan=False)] = 120.0
    """Timeout of one call."""

    max_output_tokens: Count | None = None
    """Most tokens of one reply; null: the provider's limit."""

    temperature: Annotated[StrictFloat, Field(ge=0, le=2)] | None = None
    """Sampling temperature; null: the provider's default."""

    pictures: StrictBool = True
    """Send screenshots to models; false: text alone."""

    reply_schema: StrictBool = True
    """Let the provider hold replies to a schema; false: the prompt alone describes the form of a reply."""

    secrets: Path | None = None
    """File of NAME=VALUE lines with keys, read beside the environment; null: `secrets.env` beside the user's file."""

    prices: dict[StrictStr, PriceEntry] = Field(default_factory=dict)
    """Prices by a model's name, with or without its provider; they go before the price lists."""


class PromptsSection(Section):
    """Files that take the place of parts of the prompts."""

    appagent_prompt: Path | None = None
    """The template of an application agent's prompt; null: the package's."""

    appagent_example_prompt: Path | None = None
    """The examples that an application agent is shown; null: the package's."""


class ApplicationEntry(Section):
    """Command of an application, by its name: an argument vector, never a shell line (docs/applications.md).

    The name is any name of an application of this machine, whose start it replaces, or a new one.
    """

    argv: Annotated[Texts, Field(min_length=1)]
    """Command that starts it without a file."""

    argv_with_file: Texts = ()
    """Command that starts it with a file, `{file}` being its path; empty: `argv`, then the file."""

    window: StrictStr = ""
    """A regular expression that the title of its window matches; empty: any window of the program."""

    environment: dict[StrictStr, StrictStr] = Field(default_factory=dict)
    """Variables that are set for it beside those of the desktop."""


class PolicySection(Section):
    """Rules about which actions are allowed, asked about or denied."""

    files: tuple[Path, ...] = ()
    """Rule files that are read before the shipped rules; those that a project's file names can only tighten."""

    project_files: tuple[Path, ...] = ()
    """Those that a project's file names as `files`; the reader of the files sets it."""


class KnowledgeSection(Section):
    """Passages of knowledge, searched once for each subtask and put into the prompt."""

    enabled: StrictBool = True
    """Look anything up."""

    limit: Count = 4
    """Most passages in a prompt."""

    max_tokens: Count = 800
    """Most tokens of all passages together."""

    learn_from_success: StrictBool = False
    """Learn from each session that succeeds, when it ends."""


class GroundingSection(Section):
    """Texts read from pictures, and the server that finds controls in them, used if `system.control_backend` has
    `omniparser`."""

    read_texts: StrictBool = True
    """Read texts that a window draws without exposing them from its picture, if the extra `vision` is installed."""

    address: Annotated[StrictStr, AfterValidator(_address_or_none)] = ""
    """`http://HOST:PORT` of a server that speaks as OmniParser v2 does; it is sent pictures of the window."""

    deadline_s: Annotated[StrictFloat, Field(gt=0, allow_inf_nan=False)] = 20.0
    """Timeout of the answer about one picture."""


ServerName = Annotated[StrictStr, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]


class ToolServerEntry(Section):
    """A server whose tools join ours as `SERVER.TOOL`, over the Model Context Protocol.

    In `environment` and `headers`, `${NAME}` is replaced by a variable of the environment or of the secrets file.
    """

    command: Texts = ()
    """The argument vector that starts it, for a server on its stdin and stdout; else it is reached at `address`."""

    environment: dict[StrictStr, StrictStr] = Field(default_factory=dict)
    """The variables that `command` gets beside a bare environment."""

    address: Annotated[StrictStr, AfterValidator(_address_or_none)] = ""
    """`http://…` of a server that speaks streamable HTTP; else `command` starts it."""

    headers: dict[StrictStr, StrictStr] = Field(default_factory=dict)
    """Headers of each request to `address`."""

    agents: tuple[Literal["app", "host", "shell"], ...] = ("app",)
    """Agents that are offered its tools."""

    applications: Texts = ()
    """Applications in which they are offered, by the names that `deskhand windows` prints; empty: all."""

    tools: Texts = ()
    """Tools that are offered; empty: all."""

    reads: Texts = ()
    """Tools that change nothing; before all others the user is asked."""

    search: StrictStr = ""
    """Tool that is asked for help with a subtask; empty: none."""

    search_argument: StrictStr = "query"
    """Argument of `search` that takes the words."""

    connect_s: Annotated[StrictFloat, Field(gt=0, le=120)] = 10.0
    """Timeout of connecting."""

    deadline_s: Annotated[StrictFloat, Field(gt=0, le=600)] = 30.0
    """Timeout of one call."""

    @model_validator(mode="after")
    def _one_way_to_it(self) -> Self:
        if bool(self.command) == bool(self.address):
            raise ValueError("it needs either a command or an address")
        return self


class McpSection(Section):
    """Servers whose tools join the catalogue."""

    servers: dict[ServerName, ToolServerEntry] = Field(default_factory=dict)
    """The servers, by the name that their tools begin with."""


class TelemetrySection(Section):
    """Spans and metrics of sessions by OpenTelemetry, for which the extra `otel` is needed (guide/telemetry.md)."""

    endpoint: Annotated[StrictStr, AfterValidator(_address_or_none)] = ""
    """`http://HOST:PORT` of a receiver of OTLP over HTTP; empty: that of `OTEL_EXPORTER_OTLP_ENDPOINT`, or none."""

    headers: dict[StrictStr, StrictStr] = Field(default_factory=dict)
    """Headers of each request to `endpoint`; each value is the name of a variable of the environment or of the secrets
    file."""

    content: StrictBool = False
    """Send the requests, the arguments of actions, names of controls and messages of errors too; never passwords."""

    service_name: StrictStr = ""
    """Name of the service; empty: that of `OTEL_SERVICE_NAME`, else `deskhand`."""


class NotifySection(Section):
    """Messages to the user where a session waits for an answer or has ended; by default none is sent anywhere.

    All of `command`, `webhook` and `desktop` that are set get each message.
    """

    command: Texts = ()
    """Argument vector of a program that gets each message as JSON on its stdin; empty: none."""

    webhook: Annotated[StrictStr, AfterValidator(_address_or_none)] = ""
    """`https://…` that each message is posted to, as JSON; empty: none."""

    secret_env: Annotated[StrictStr, Field(pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$")] = ""
    """Variable of the environment or the secrets file with the secret, `whsec_…`, that signs messages to `webhook`;
    empty: they are not signed."""

    desktop: StrictBool = False
    """Show each message on the desktop of the user's own session."""

    on: tuple[Literal["question", "confirmation", "end", "task"], ...] = ("question", "confirmation", "end")
    """Events that are sent: a question, an action to approve, the end of a session or batch, and of each task of a
    batch."""

    wait_s: Annotated[StrictFloat, Field(ge=0, le=3600)] = 1.0
    """Time that a question or an action to approve has waited when it is sent; one that is answered sooner is not."""

    end_after_s: Seconds = 0.0
    """Least time that a session or batch has to take for its end to be sent."""

    deadline_s: Annotated[StrictFloat, Field(gt=0, le=120)] = 10.0
    """Timeout of one attempt to send a message."""


class Configuration(Section):
    """All settings of a process, loaded once."""

    system: SystemSection = SystemSection()
    models: ModelsSection = ModelsSection()
    prompts: PromptsSection = PromptsSection()
    policy: PolicySection = PolicySection()
    knowledge: KnowledgeSection = KnowledgeSection()
    grounding: GroundingSection = GroundingSection()
    mcp: McpSection = McpSection()
    telemetry: TelemetrySection = TelemetrySection()
    notify: NotifySection = NotifySection()
    applications: dict[str, ApplicationEntry] = Field(default_factory=dict)
    """Programs by the name that they are called by, beside those that are known."""
