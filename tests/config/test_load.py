"""Configuration: precedence, and everything wrong reported at once."""

import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from pydantic import ValidationError

from deskhand.config.load import Sources, load
from deskhand.config.sections import ApplicationEntry, Configuration, of_system
from deskhand.core.errors import ConfigurationError


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """A folder with `user/deskhand` and `project`."""
    (tmp_path / "user" / "deskhand").mkdir(parents=True)
    (tmp_path / "project").mkdir()
    return tmp_path


def read(
    places: Path,
    *,
    user: str = "",
    project: str = "",
    config: str | None = None,
    environment: dict[str, str] | None = None,
    overrides: dict[str, dict[str, object]] | None = None,
) -> Configuration:
    (places / "user" / "deskhand" / "config.yaml").write_text(user)
    (places / "project" / "deskhand.yaml").write_text(project)
    given = None
    if config is not None:
        given = places / "given.yaml"
        given.write_text(config)
    variables = {"XDG_CONFIG_HOME": str(places / "user"), **(environment or {})}
    return load(Sources(variables, places / "project", given, overrides or {}))


def problems(places: Path, caught: pytest.ExceptionInfo[ConfigurationError]) -> list[str]:
    return caught.value.message.replace(str(places), "").splitlines()


def test_without_files_and_variables_the_defaults_hold(tmp_path: Path) -> None:
    loaded = load(Sources({"XDG_CONFIG_HOME": str(tmp_path)}, tmp_path))
    assert loaded == Configuration()
    assert (loaded.system.max_step, loaded.system.ask_timeout, loaded.system.safe_guard) == (50, 300.0, True)


@pytest.mark.requires("config.layers")
def test_each_layer_wins_over_those_before_it(places: Path) -> None:
    layers: list[tuple[int, Configuration]] = [
        (40, read(places, user="system: {max_step: 40}")),
        (30, read(places, user="system: {max_step: 40}", project="system: {max_step: 30}")),
        (60, read(places, project="system: {max_step: 30}", config="system: {max_step: 60}")),
        (
            70,
            read(places, config="system: {max_step: 60}", environment={"DESKHAND_SYSTEM__MAX_STEP": "70"}),
        ),
        (
            80,
            read(
                places,
                environment={"DESKHAND_SYSTEM__MAX_STEP": "70"},
                overrides={"system": {"max_step": 80}},
            ),
        ),
    ]
    assert [loaded.system.max_step for _, loaded in layers] == [expected for expected, _ in layers]


@pytest.mark.requires("windows.uia-setting")
@pytest.mark.parametrize("source", ["uia", "win32"])
def test_a_source_of_controls_that_this_system_lacks_is_an_error(places: Path, source: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(places, user=f"system:\n  control_backend: [{source}]\n")
    wanted = "system.control_backend: on Linux it takes atspi and omniparser, not"
    assert problems(places, caught) == [f"/user/deskhand/config.yaml:2: {wanted} ['{source}']"]


@pytest.mark.requires("windows.uia-setting")
def test_on_windows_controls_are_read_by_messages_and_by_ui_automation() -> None:
    for sources in (("win32",), ("uia",), ("win32", "uia"), ("win32", "omniparser")):
        assert of_system(sources, "win32") == sources
    with pytest.raises(ValueError, match="on Windows it takes win32, uia and omniparser"):
        of_system(("atspi",), "win32")


@pytest.mark.requires("config.all-errors")
@pytest.mark.parametrize("variable", ["DESKHAND_SYSTEM_MAX_STEP", "DESKHAND_MCP_SERVERS", "DESKHAND_POLICY_FILES"])
def test_a_variable_with_one_underscore_is_not_ignored(variable: str, places: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(places, environment={variable: "1", "DESKHAND_TRIALS": "full", "DESKHAND_MODELS_OLD": "x"})
    first, _, rest = variable.removeprefix("DESKHAND_").partition("_")
    wanted = f"environment variable {variable}: write DESKHAND_{first}__{rest}, with two underscores"
    assert problems(places, caught) == [wanted]


@pytest.mark.requires("config.all-errors")
def test_everything_wrong_is_reported_together_by_file_line_and_variable(places: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(
            places,
            user="system:\n  max_setp: 3\n  json_parsing_retry: 0\n  control_backend: [atspi, win]\nsytem: {}\n",
            project="system:\n  save_ui_tree: 'yes'\n  history_keys: [1]\n",
            environment={"DESKHAND_SYSTEM__MAX_USD": "two", "DESKHAND_DESKTOP": "work"},
            overrides={"system": {"mode": "fast"}},
        )
    assert problems(places, caught) == snapshot(
        [
            "/user/deskhand/config.yaml:2: system has no setting 'max_setp'; did you mean 'max_step'?",
            (
                "/user/deskhand/config.yaml:3: system.json_parsing_retry: input should be greater than or "
                "equal to 1, not 0"
            ),
            (
                "/user/deskhand/config.yaml:4: system.control_backend.1: input should be 'atspi', 'win32', "
                "'uia' or 'omniparser', not 'win'"
            ),
            "/user/deskhand/config.yaml:5: the configuration has an unknown key 'sytem'; did you mean 'system'?",
            "/project/deskhand.yaml:2: system.save_ui_tree: input should be a valid boolean, not 'yes'",
            "/project/deskhand.yaml:3: system.history_keys.0: input should be a valid string, not 1",
            (
                "environment variable DESKHAND_SYSTEM__MAX_USD: system.max_usd: input should be a valid "
                "number, not 'two'"
            ),
            "option system.mode: system.mode: input should be 'normal', 'follower' or 'batch', not 'fast'",
        ]
    )
    assert caught.value.exit_code == 2


@pytest.mark.requires("config.project-tightens")
def test_a_project_file_cannot_loosen(places: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(
            places,
            user="system: {max_usd: 2}",
            project="system:\n  safe_guard: false\n  max_step: 51\n  max_usd: null\n"
            "applications:\n  writer: {argv: [other]}\n",
        )
    assert problems(places, caught) == snapshot(
        [
            (
                "/project/deskhand.yaml:2: system.safe_guard: it would switch the safe guard off; a "
                "project's file may tighten, never loosen (your own file, the environment and the command line may)"
            ),
            (
                "/project/deskhand.yaml:3: system.max_step: 51 is more than 50; a project's file may "
                "tighten, never loosen (your own file, the environment and the command line may)"
            ),
            (
                "/project/deskhand.yaml:4: system.max_usd: no limit is more than 2.0; a project's file may "
                "tighten, never loosen (your own file, the environment and the command line may)"
            ),
            (
                "/project/deskhand.yaml:6: applications.writer: a project's file cannot start programs; "
                "set it in your own file"
            ),
        ]
    )


@pytest.mark.requires("mcp.settings")
def test_a_project_file_can_neither_name_a_tool_server_nor_switch_one_on(places: Path) -> None:
    own = "mcp: {servers: {words: {command: [words], reads: [look_up]}}}\n"
    assert read(places, user=own).mcp.servers["words"].reads == ("look_up",)
    for theirs in ("{evil: {command: [evil]}}", "{words: {address: 'http://evil'}}", "{}"):
        with pytest.raises(ConfigurationError) as caught:
            read(places, user=own, project=f"mcp: {{servers: {theirs}}}\n")
        assert "mcp.servers: it would start programs and connect to servers of its choice" in caught.value.message


@pytest.mark.requires("grounding.settings")
@pytest.mark.parametrize("address", ["http://[::1", "http://[x]/", "http://a:99999", "http://a\x01", "localhost:8000"])
def test_a_wrong_address_of_the_grounding_server_is_told_with_the_rest(places: Path, address: str) -> None:
    with pytest.raises(ConfigurationError, match=r"grounding\.address: it has to be the address of a server"):
        read(places, environment={"DESKHAND_GROUNDING__ADDRESS": json.dumps(address)})


@pytest.mark.requires("mcp.settings")
def test_a_tool_server_is_in_one_place_and_called_by_a_name(places: Path) -> None:
    for wrong, said in (
        ("{words: {}}", "either a command or an address"),
        ("{words: {command: [a], address: 'http://b'}}", "either a command or an address"),
        ("{words: {address: 'ftp://b'}}", "words.address: it has to be the address of a server"),
        ("{words: {address: 'http://[::1'}}", "words.address: it has to be the address of a server"),
        ("{Two Words: {command: [a]}}", "string should match pattern"),
        ("{words: {command: [a], agents: [everybody]}}", "agents"),
    ):
        with pytest.raises(ConfigurationError) as caught:
            read(places, user=f"mcp: {{servers: {wrong}}}\n")
        assert said in caught.value.message


@pytest.mark.requires("grounding.settings")
def test_a_project_file_cannot_have_pictures_sent_anywhere(places: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(
            places,
            project="system: {control_backend: [atspi, omniparser]}\n"
            "grounding: {address: 'http://there', deadline_s: 1.0}\n",
        )
    told = caught.value.message
    assert "system.control_backend: it would have pictures of the screen sent to a server" in told
    assert "grounding.address: it would send pictures of the screen to a server of its choice" in told
    assert "grounding.deadline_s: it would send pictures of the screen to a server of its choice" in told
    own = "system: {control_backend: [atspi, omniparser]}\ngrounding: {address: 'http://here'}\n"
    fewer = read(places, user=own, project="system: {control_backend: [atspi]}\n")
    assert (fewer.system.control_backend, fewer.grounding.address) == (("atspi",), "http://here")
    kept = read(places, user=own, project="system: {control_backend: [omniparser]}\n")
    assert kept.system.control_backend == ("omniparser",)


@pytest.mark.requires("config.project-tightens")
@pytest.mark.parametrize("name", ["max_failed_steps", "max_repeats", "max_fail_per_subtask", "max_fail_per_round"])
def test_a_project_file_allows_no_more_failures(places: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{name}: 9999 is more than"):
        read(places, project=f"system: {{{name}: 9999}}")


@pytest.mark.requires("config.project-tightens")
def test_a_project_file_cannot_switch_the_loop_detector_off(places: Path) -> None:
    with pytest.raises(ConfigurationError, match="max_repeats: 0 is more than 3"):
        read(places, project="system: {max_repeats: 0}")
    assert read(places, user="system: {max_repeats: 0}", project="system: {max_repeats: 2}").system.max_repeats == 2


@pytest.mark.requires("config.project-tightens")
def test_a_project_file_cannot_have_what_happens_kept(places: Path) -> None:
    with pytest.raises(ConfigurationError, match="learn_from_success: it would store"):
        read(places, project="knowledge: {learn_from_success: true}")
    assert not read(places, project="knowledge: {enabled: false}").knowledge.enabled
    assert read(places, user="knowledge: {learn_from_success: true}").knowledge.learn_from_success


def test_a_project_file_may_tighten(places: Path) -> None:
    loaded = read(places, user="system: {safe_guard: false}", project="system: {safe_guard: true, max_usd: 1}")
    assert loaded.system.safe_guard
    assert loaded.system.max_usd == 1.0


@pytest.mark.requires("config.project-tightens", "guard.person")
@pytest.mark.parametrize("setting", ["person: ignore", "person: pause", "stop_key: ''", "person_quiet_s: 0.1"])
def test_a_project_file_cannot_send_a_person_away(places: Path, setting: str) -> None:
    with pytest.raises(ConfigurationError, match=r"deskhand\.yaml:1: system"):
        read(places, project=f"system: {{{setting}}}")
    assert read(places, user=f"system: {{{setting}}}").system
    assert read(places, project="system: {person: stop}").system.person == "stop"


@pytest.mark.parametrize("chord", ["escape", "ctrl+", "ctrl+nosuch", "hyper+x", "Ctrl+X"])
def test_a_stop_key_is_a_chord(places: Path, chord: str) -> None:
    with pytest.raises(ConfigurationError, match="stop_key"):
        read(places, user=f"system: {{stop_key: '{chord}'}}")


@pytest.mark.parametrize("where", ["user", "config", "environment", "overrides"])
def test_the_safe_guard_goes_off_only_where_the_person_says_so(places: Path, where: str) -> None:
    text = "system: {safe_guard: false}"
    loaded = {
        "user": lambda: read(places, user=text),
        "config": lambda: read(places, config=text),
        "environment": lambda: read(places, environment={"DESKHAND_SYSTEM__SAFE_GUARD": "false"}),
        "overrides": lambda: read(places, overrides={"system": {"safe_guard": False}}),
    }[where]()
    assert not loaded.system.safe_guard


def test_policy_files_are_found_beside_their_file_and_a_projects_stand_apart(places: Path) -> None:
    loaded = read(places, user="policy: {files: [mine.yaml]}", project="policy: {files: [rules/theirs.yaml]}")
    assert loaded.policy.files == (places / "user" / "deskhand" / "mine.yaml",)
    assert loaded.policy.project_files == (places / "project" / "rules" / "theirs.yaml",)


def test_an_application_is_an_argument_vector(places: Path) -> None:
    loaded = read(places, user='applications: {notes: {argv: [gedit, -s], window: "gedit$"}}')
    assert loaded.applications == {"notes": ApplicationEntry(argv=("gedit", "-s"), window="gedit$")}
    with pytest.raises(ConfigurationError) as caught:
        read(places, user='applications:\n  notes: {argv: gedit -s}\n  other: {argv: [x], window: "("}\n')
    assert problems(places, caught) == snapshot(
        [
            ("/user/deskhand/config.yaml:2: applications.notes: argv: input should be a list, not 'gedit -s'"),
            (
                "/user/deskhand/config.yaml:3: applications.other: window: bad regular expression: missing "
                "), unterminated subpattern at position 0"
            ),
        ]
    )


def test_a_config_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no such file"):
        load(Sources({"XDG_CONFIG_HOME": str(tmp_path)}, tmp_path, tmp_path / "none.yaml"))


def test_a_list_in_a_variable_is_written_as_yaml(places: Path) -> None:
    loaded = read(places, environment={"DESKHAND_SYSTEM__CONTROL_BACKEND": "[atspi, omniparser]"})
    assert loaded.system.control_backend == ("atspi", "omniparser")


@pytest.mark.requires("config.frozen")
def test_what_was_loaded_cannot_be_changed(tmp_path: Path) -> None:
    loaded = load(Sources(environment={}, project=tmp_path))
    with pytest.raises(ValidationError, match="frozen"):
        loaded.system.max_step = 1000  # pyright: ignore[reportAttributeAccessIssue] - that it cannot be set is the test
    assert loaded.system.max_step == 50
