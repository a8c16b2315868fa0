"""One task in a program of Linux and one of Windows: a table of a Writer document is entered in Notepad and saved."""

from pathlib import Path
from typing import Final

import pytest

from cli.driver import deskhand, environment
from deskhand.desktop.linux.runtime.wine_folder import FOLDER_VARIABLE
from support import ROOT
from tools.windows_scripts import FOLDER
from windows_programs import need_wine

PLAYBOOK: Final = """
playbook: 1
name: table-to-notepad
params:
  output: path
host:
  - {tool: select_application_window, on: {role: window, name: /Writer$/}, status: ASSIGN, agent: writer, subtask: Read}
  - {tool: launch_application, args: {application: notepad.exe}, expect: {window: /Notepad$/}}
  - {tool: select_application_window, on: {role: window, name: /Notepad$/}, status: ASSIGN, agent: notepad, subtask: Do}
  - {status: FINISH, result: "Saved ${output}", expect: {file: "${output}"}}
agents:
  writer:
    - {tool: read_table, on: {role: table}, save_as: sales, expect: {rows: ">=2"}, status: FINISH}
  notepad:
    - for_each: row in ${sales.cells}
      steps:
        - tool: keyboard_input
          on: {role: textbox}
          args: {keys: "${row[0]} ${row[1]}{ENTER}"}
          expect: {effect: confirmed}
    - tool: invoke
      on: {role: menuitem, within: [File], name: Save as...}
      expect: {shows: {role: dialog}}
      status: SCREENSHOT
    - {tool: choose_file, args: {path: "${output}", create: true}, expect: {file: "${output}"}}
    - {status: FINISH, result: Saved}
"""


@pytest.mark.desktop
@pytest.mark.requires("wine.both-worlds")
def test_a_table_of_a_document_is_saved_by_a_windows_program(tmp_path: Path) -> None:
    need_wine()
    playbook, output = tmp_path / "playbook.yaml", tmp_path / "sales.txt"
    playbook.write_text(PLAYBOOK, encoding="utf-8")
    document = ROOT / "src/deskhand/samples/report.odt"
    arguments = ("--playbook", playbook, "--file", document, "--param", f"output={output}", "--out", tmp_path / "out")
    where = environment(**{FOLDER_VARIABLE: str(FOLDER.path)})
    done = deskhand("run", "Put the table into notepad.exe", *arguments, "--json", env=where)
    assert (done.code, done.json["outcome"]) == (0, "success"), done
    assert output.read_text("ascii").splitlines() == ["Region Q1", "North 120", "South 80", "East 200", "West 60"]
