"""A plausible session: the reference task, read in Writer and charted in Calc, as its journal and pictures tell it.

Run as a program it writes one: `demo_session.py FOLDER`.
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from deskhand.core.events import (
    ActionFinished,
    ActionIntended,
    ActionsHeld,
    CheckRun,
    ConfirmationAsked,
    ConfirmationDecided,
    DataSaved,
    ErrorData,
    Event,
    ModelAnswered,
    ModelAsked,
    ObservationTaken,
    OutputWritten,
    PhaseFinished,
    PictureSaved,
    ProblemMet,
    QuestionsAnswered,
    QuestionsAsked,
    ReplyAccepted,
    RoundFinished,
    RoundStarted,
    SessionFinished,
    SessionStarted,
    StepFinished,
    StepStarted,
    SubtaskArchived,
    SubtaskAssigned,
    TargetData,
    TransitionTaken,
    VerdictGiven,
)
from deskhand.core.json import JsonObject, JsonValue
from deskhand.store.journal import Journal
from deskhand.store.log_folder import LogFolder
from deskhand.store.png import encode_png

REQUEST = "Extract the sales table from the Writer document and create a bar chart in Calc"
CELLS: list[JsonValue] = [
    ["Region", "Q1", "Q2", "Q3"],
    ["North-East", "1200", "1350", "1280"],
    ["North", "980", "1010", "1100"],
    ["South", "1430", "1390", "1510"],
    ["West", "760", "845", "900"],
]
HOST, WRITER, CALC = "HostAgent", "AppAgent(writer)", "AppAgent(calc)"
WINDOWS = {HOST: "Desktop", WRITER: "sales.odt - LibreOffice Writer", CALC: "Untitled 1 - LibreOffice Calc"}
MACHINES = {HOST: "host", WRITER: "app", CALC: "app"}
PHASES = {"data_collection": 0.45, "llm_interaction": 0.05, "action_execution": 0.44, "memory_update": 0.06}


@dataclass(slots=True)
class Deed:
    """One action of a step."""

    tool: str
    arguments: JsonObject = field(default_factory=dict[str, JsonValue])
    target: TargetData | None = None
    effect: str = "confirmed"
    route: str = "accessibility"
    evidence: str = ""
    result: JsonValue = None
    error: ErrorData | None = None


@dataclass(slots=True)
class Script:
    """Writes events with a running clock, and the pictures they name."""

    folder: LogFolder
    events: list[Event] = field(default_factory=list[Event])
    now: float = 1_767_600_000.0
    step: int = 0
    actions: int = 0

    def add(self, event: Event, after: float = 0.0) -> None:
        self.now += after
        self.events.append(event.model_copy(update={"at": round(self.now, 6)}))

    def picture(self, agent: str, what: str, path: Path, menu: str = "") -> None:
        draw_window(path, WINDOWS[agent], agent, labels=what == "annotated", dialog=menu)
        self.add(
            PictureSaved.model_validate(
                {"step": self.step, "agent": agent, "what": what, "path": self.folder.relative(path)}
            )
        )

    def take_step(
        self,
        agent: str,
        state: str,
        thought: str,
        *deeds: Deed,
        status: str = "CONTINUE",
        seconds: float = 0.3,
        subtask: str = "",
        dialog: str = "",
        problem: str = "",
        result: str = "",
    ) -> None:
        self.step += 1
        step, who = self.step, agent
        application = {WRITER: "writer", CALC: "calc"}.get(agent, "")
        self.add(
            StepStarted(step=step, agent=who, round=1, state=state, subtask=subtask, application=application), 0.004
        )
        self._look(agent, seconds, dialog)
        self.add(ModelAsked(step=step, agent=who, model="playbook:writer-table-to-calc-chart", attempt=1))
        self.add(
            ModelAnswered(step=step, agent=who, model="playbook:writer-table-to-calc-chart", attempt=1, seconds=0.001)
        )
        self.add(
            ReplyAccepted(step=step, agent=who, thought=thought, status=status, result=result, raw='{"thought": "…"}')
        )
        self._phase(agent, "llm_interaction", seconds)
        for deed in deeds:
            self.act(agent, deed, seconds)
        self._phase(agent, "action_execution", seconds)
        self._phase(agent, "memory_update", seconds)
        self.add(
            StepFinished(
                step=step,
                agent=who,
                status=status,
                ok=not problem,
                seconds=seconds,
                phase_seconds={name: share * seconds for name, share in PHASES.items()},
                problem=problem,
            ),
            0.002,
        )

    def _look(self, agent: str, seconds: float, dialog: str) -> None:
        step = self.step
        if agent == HOST:
            self.picture(agent, "desktop", self.folder.desktop(step))
        else:
            self.picture(agent, "clean", self.folder.clean(step), dialog)
            self.picture(agent, "annotated", self.folder.annotated(step), dialog)
        controls = {HOST: 2, WRITER: 186, CALC: 223}[agent]
        window = WINDOWS[agent] if agent != HOST else "Desktop, 2 windows"
        self.add(ObservationTaken(step=step, agent=agent, window=window, controls=controls, seconds=seconds * 0.1))
        self._phase(agent, "data_collection", seconds)

    def _phase(self, agent: str, phase: str, seconds: float) -> None:
        share = PHASES[phase] * seconds
        self.add(PhaseFinished(step=self.step, agent=agent, phase=phase, seconds=share, ok=True), share)

    def act(self, agent: str, deed: Deed, seconds: float = 0.1) -> None:
        self.actions += 1
        call_id, step = f"call-{self.actions}", self.step
        self.add(
            VerdictGiven(step=step, agent=agent, call_id=call_id, tool=deed.tool, decision="allow", rule="default-edit")
        )
        refused = deed.effect == "refused"
        if not refused:
            self.add(
                ActionIntended(
                    step=step,
                    agent=agent,
                    call_id=call_id,
                    tool=deed.tool,
                    arguments=deed.arguments,
                    target=deed.target,
                )
            )
        self.add(
            ActionFinished(
                step=step,
                agent=agent,
                call_id=call_id,
                tool=deed.tool,
                arguments=deed.arguments,
                target=deed.target,
                status={"confirmed": "success", "": "success", "unverifiable": "none"}.get(deed.effect, "failure"),
                effect=deed.effect,
                route="" if refused else deed.route,
                evidence=deed.evidence,
                delivered=not refused,
                seconds=seconds * 0.3,
                result=deed.result,
                error=deed.error,
            )
        )

    def edge(self, agent: str, source: str, to: str, cause: str = "llm", reason: str = "") -> None:
        self.add(
            TransitionTaken(
                agent=agent,
                machine=MACHINES[agent],
                source=source,
                to=to,
                cause=cause,
                trigger="reply",
                reason=reason,
                step=self.step,
            )
        )


def begin(script: Script) -> None:
    script.add(
        SessionStarted(
            session_id="2026-01-05T08-00-00-4f2a",
            version="0.1.0",
            request=REQUEST,
            model="playbook:writer-table-to-calc-chart",
            desktop="virtual :42 1920x1080",
            parameters={"document": "/home/ada/sales.odt", "output": "/home/ada/out/sales.ods"},
        )
    )
    script.add(RoundStarted(round=1, request=REQUEST), 0.35)


def writer_part(script: Script) -> None:
    subtask = "Read the sales table"
    window = TargetData(id="1", role="window", name=WINDOWS[WRITER], rect=[0, 0, 1280, 800])
    script.take_step(
        HOST,
        "CONTINUE",
        "The table stands in the Writer document, so the Writer agent reads it first.",
        Deed("select_application_window", {"id": "1", "name": window.name}, window, evidence="the window is active"),
        status="ASSIGN",
        seconds=0.24,
    )
    script.edge(HOST, "CONTINUE", "ASSIGN")
    script.add(SubtaskAssigned(agent=WRITER, subtask=subtask, application="writer", window=window.name, reused=False))
    script.edge(HOST, "ASSIGN", "app:CONTINUE", "system")
    script.take_step(
        WRITER,
        "CONTINUE",
        "There is one table in the document. Its cells can be read through accessibility.",
        Deed(
            "read_table",
            {"id": "41", "name": "Sales"},
            TargetData(id="41", role="table", name="Sales", rect=[220, 300, 900, 520]),
            effect="",
            evidence="5 rows and 4 columns, read twice with the same result",
            result={"rows": 5, "columns": 4, "cells": CELLS},
        ),
        status="FINISH",
        subtask=subtask,
        seconds=0.31,
        result="The sales table has 5 rows and 4 columns",
    )
    add = script.add
    add(DataSaved(step=script.step, agent=WRITER, name="sales", data={"rows": 5, "columns": 4, "cells": CELLS}))
    add(CheckRun(step=script.step, agent=WRITER, name="rows >= 2", ok=True, detail="5 rows"))
    add(CheckRun(step=script.step, agent=WRITER, name="columns >= 2", ok=True, detail="4 columns"))
    script.edge(WRITER, "CONTINUE", "FINISH")
    script.picture(WRITER, "final", script.folder.subtask_final(1, 1))
    archived(script, WRITER, subtask, "writer", "The sales table has 5 rows and 4 columns")


def archived(script: Script, agent: str, subtask: str, application: str, result: str) -> None:
    script.add(
        SubtaskArchived(
            agent=agent, subtask=subtask, application=application, status="FINISH", outcome="success", result=result
        )
    )
    script.edge(agent, "FINISH", "host:CONTINUE", "system")


def calc_part(script: Script) -> None:
    subtask = "Enter the table and chart it"
    script.take_step(
        HOST,
        "CONTINUE",
        "The table is on the blackboard as “sales”. Calc is not open yet.",
        Deed("launch_application", {"application": "calc"}, evidence="a new window “Untitled 1 - LibreOffice Calc”"),
        seconds=0.92,
    )
    script.edge(HOST, "CONTINUE", "CONTINUE")
    window = TargetData(id="2", role="window", name=WINDOWS[CALC], rect=[0, 0, 1280, 800])
    script.take_step(
        HOST,
        "CONTINUE",
        "Calc is open. Its agent enters the table and makes the chart.",
        Deed("select_application_window", {"id": "2", "name": window.name}, window, evidence="the window is active"),
        status="ASSIGN",
        seconds=0.2,
    )
    script.edge(HOST, "CONTINUE", "ASSIGN")
    script.add(SubtaskAssigned(agent=CALC, subtask=subtask, application="calc", window=window.name, reused=False))
    script.edge(HOST, "ASSIGN", "app:CONTINUE", "system")
    enter_data(script, subtask)
    insert_chart(script, subtask)
    save(script, subtask)
    archived(script, CALC, subtask, "calc", "Chart over A1:D5")


def enter_data(script: Script, subtask: str) -> None:
    script.take_step(
        CALC,
        "CONTINUE",
        "The saved table goes to A1. The program fills in the cells; I do not retype them.",
        Deed(
            "write_table",
            {"start": "A1", "rows": CELLS},
            None,
            evidence="20 cells read back",
            result={"range": "A1:D5"},
        ),
        subtask=subtask,
        seconds=0.84,
    )
    script.add(DataSaved(step=script.step, agent=CALC, name="block", data={"range": "A1:D5"}))
    script.edge(CALC, "CONTINUE", "CONTINUE")
    box = TargetData(id="17", role="textbox", name="", rect=[8, 96, 108, 118])
    script.take_step(
        CALC,
        "CONTINUE",
        "Select the range through the Name Box.",
        Deed("set_edit_text", {"id": "17", "text": "A1:D5"}, box, effect="refused", error=stale()),
        subtask=subtask,
        seconds=0.18,
        problem="set_edit_text was refused: the control that was meant no longer exists",
    )
    script.edge(CALC, "CONTINUE", "CONTINUE", "system", "the step failed recoverably (1 of 3)")
    script.take_step(
        CALC,
        "CONTINUE",
        "The Name Box was made anew; the same again with its new label.",
        Deed("set_edit_text", {"id": "18", "text": "A1:D5"}, box, evidence="its value is A1:D5"),
        Deed("keyboard_input", {"keys": "{ENTER}"}, None, "unverifiable", "synthetic input"),
        subtask=subtask,
        seconds=0.33,
    )
    script.edge(CALC, "CONTINUE", "CONTINUE")


def stale() -> ErrorData:
    return ErrorData(
        type="ElementStale",
        message='textbox with value "A1" [17] is gone from the window.',
        fix="Observe the window again and use the new label.",
        candidates=['textbox with value "A1" [18]'],
    )


def insert_chart(script: Script, subtask: str) -> None:
    item = TargetData(id="63", role="menuitem", name="Chart...", rect=[190, 210, 420, 236])
    script.take_step(
        CALC,
        "CONTINUE",
        "Open the chart wizard from the Insert menu; the window will change.",
        Deed("invoke", {"id": "63", "name": "Chart..."}, item, evidence="a dialog “Chart Type” has opened"),
        status="SCREENSHOT",
        subtask=subtask,
        seconds=0.71,
    )
    script.edge(CALC, "CONTINUE", "SCREENSHOT")
    bar = TargetData(id="5", role="listitem", name="Bar", rect=[500, 330, 600, 350])
    script.take_step(
        CALC,
        "SCREENSHOT",
        "The wizard lists chart types. Bar means horizontal bars.",
        Deed("select_item", {"id": "5", "name": "Bar"}, bar, evidence="the item is selected"),
        subtask=subtask,
        seconds=0.46,
        dialog="Chart Type",
    )
    script.edge(CALC, "SCREENSHOT", "CONTINUE", "system", "fresh labels were made")
    finish = TargetData(id="9", role="button", name="Finish", rect=[760, 560, 850, 590])
    script.take_step(
        CALC,
        "CONTINUE",
        "Nothing else to choose.",
        Deed("invoke", {"id": "9", "name": "Finish"}, finish, evidence="the dialog is gone"),
        subtask=subtask,
        seconds=0.29,
        dialog="Chart Type",
    )
    script.edge(CALC, "CONTINUE", "CONTINUE")


def save(script: Script, subtask: str) -> None:
    output = "/home/ada/out/sales.ods"
    script.take_step(
        CALC,
        "CONTINUE",
        "A file of that name is there. A person should decide whether it is replaced.",
        status="CONFIRM",
        subtask=subtask,
        seconds=0.35,
        dialog="Save As",
    )
    step = script.step
    script.add(ActionsHeld(step=step, agent=CALC, call_ids=["call-held"], reason="a rule demands a confirmation"))
    script.edge(CALC, "CONTINUE", "CONFIRM", "system", "overwriting a file is confirmed by a person")
    script.picture(CALC, "confirm", script.folder.confirm(step), "Save As")
    script.add(
        ConfirmationAsked(
            step=step,
            agent=CALC,
            facts=[
                "choose_file in LibreOffice Calc, dialog “Save As”",
                f"overwrites {output}",
                "rule: confirm-overwrite",
            ],
            model_says="It is only an old copy, safe to replace.",
        )
    )
    script.add(ConfirmationDecided(step=step, agent=CALC, decision="approved", seconds=2.4), 2.4)
    deed = Deed("choose_file", {"path": output, "create": True}, None, evidence=f"{output} has 18 204 bytes")
    script.act(CALC, deed)
    script.edge(CALC, "CONFIRM", "CONTINUE", "user")
    script.take_step(
        CALC,
        "CONTINUE",
        "The document is saved. Shall the window stay open? I ask and go on.",
        status="PENDING",
        subtask=subtask,
        seconds=0.2,
    )
    question = "Shall the Calc window stay open?"
    script.add(QuestionsAsked(step=script.step, agent=CALC, questions=[question]))
    answer = "Proceed on your best judgement and do not ask again."
    script.edge(CALC, "CONTINUE", "PENDING")
    script.add(QuestionsAnswered(step=script.step, agent=CALC, answers={question: answer}, how="off"))
    script.edge(CALC, "PENDING", "CONTINUE", "system")
    script.take_step(
        CALC, "CONTINUE", "All is done.", status="FINISH", subtask=subtask, seconds=0.22, result="Chart over A1:D5"
    )
    script.edge(CALC, "CONTINUE", "FINISH")
    script.add(
        ProblemMet(
            where="pictures",
            error=ErrorData(type="CaptureFailed", message="The final picture of the application was not taken."),
        )
    )


def end(script: Script) -> None:
    output = "/home/ada/out/sales.ods"
    script.take_step(
        HOST,
        "CONTINUE",
        "Both subtasks succeeded and the file is there.",
        status="FINISH",
        seconds=0.21,
        result=f"Saved {output}",
    )
    script.add(CheckRun(step=script.step, agent=HOST, name=f"file {output}", ok=True, detail="18 204 bytes"))
    script.edge(HOST, "CONTINUE", "FINISH")
    script.picture(HOST, "final", script.folder.round_final(1))
    script.add(OutputWritten(path=output))
    add = script.add
    add(
        CheckRun(step=script.step, agent=HOST, name="cells", ok=True, detail="20 cells equal the table of the document")
    )
    add(
        CheckRun(
            step=script.step,
            agent=HOST,
            name="chart",
            ok=True,
            detail="horizontal bars over Sheet1.A1:D5, 3 series, categories from column A",
        )
    )
    add(RoundFinished(round=1, outcome="success", reason=f"Saved {output}", seconds=8.1))
    add(SessionFinished(outcome="success", reason=f"Saved {output}", seconds=8.46))


def write_demo_session(folder: Path) -> list[Event]:
    """A finished session in `folder`; returns its events as they stand in the journal."""
    script = Script(LogFolder(folder))
    begin(script)
    writer_part(script)
    calc_part(script)
    end(script)
    with Journal(folder, _NoClock()) as journal:
        for event in script.events:
            journal.emit(event)
    return script.events


class _NoClock:
    def monotonic(self) -> float:
        raise AssertionError("every event has its time")

    def now(self) -> float:
        raise AssertionError("every event has its time")


SIZE = (1280, 800)


def draw_window(path: Path, title: str, agent: str, *, labels: bool, dialog: str) -> None:
    """Something that looks like the window of the application."""
    image = Image.new("RGB", SIZE, "#e9e9e7")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, SIZE[0], 30), fill="#3b4252")
    draw.text((14, 7), title, fill="#eceff4", font=_font(15))
    for index, menu in enumerate(("File", "Edit", "View", "Insert", "Format", "Table", "Tools", "Help")):
        draw.text((14 + index * 66, 38), menu, fill="#222222", font=_font(15))
    for index in range(26):
        draw.rounded_rectangle((10 + index * 36, 66, 38 + index * 36, 90), 4, fill="#d9dbd8", outline="#b9bcb8")
    {HOST: _desktop, WRITER: _document, CALC: _sheet}[agent](draw)
    if dialog:
        _dialog(draw, dialog)
    if labels:
        _labels(draw, 5 if dialog else 26)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode_png(image))


def _font(size: int) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    return ImageFont.load_default(size)


def _desktop(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((0, 0, *SIZE), fill="#52667a")
    for left, top, title in ((90, 90, WINDOWS[WRITER]), (420, 230, WINDOWS[CALC])):
        draw.rectangle((left, top, left + 700, top + 430), fill="#fbfbfa", outline="#222222")
        draw.rectangle((left, top, left + 700, top + 28), fill="#3b4252")
        draw.text((left + 12, top + 6), title, fill="#eceff4", font=_font(15))


def _grid(draw: ImageDraw.ImageDraw, left: int, top: int, width: int, height: int) -> None:
    for row, cells in enumerate(CELLS):
        assert isinstance(cells, list)
        for column, cell in enumerate(cells):
            x, y = left + column * width, top + row * height
            draw.rectangle((x, y, x + width, y + height), outline="#8a8a8a", fill="#eef1f5" if row == 0 else "#ffffff")
            draw.text((x + 8, y + 5), str(cell), fill="#1a1a1a", font=_font(15))


def _document(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((200, 110, 1080, 800), fill="#ffffff", outline="#cccccc")
    draw.text((280, 160), "Sales report 2025", fill="#111111", font=_font(30))
    for line in range(4):
        draw.text(
            (280, 220 + line * 24),
            "The regions reported their sales by quarter, in thousands of euros.",
            fill="#333333",
            font=_font(15),
        )
    _grid(draw, 280, 350, 170, 30)


def _sheet(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((0, 124, *SIZE), fill="#ffffff")
    for column in range(12):
        draw.text((70 + column * 110, 128), chr(65 + column), fill="#555555", font=_font(14))
        draw.line((40 + column * 110, 124, 40 + column * 110, 800), fill="#dddddd")
    for row in range(26):
        draw.text((10, 152 + row * 25), str(row + 1), fill="#555555", font=_font(14))
        draw.line((0, 148 + row * 25, SIZE[0], 148 + row * 25), fill="#dddddd")
    _grid(draw, 40, 148, 110, 25)
    for index, value in enumerate((1200, 980, 1430, 760)):
        draw.rectangle((560, 330 + index * 44, 560 + value // 3, 358 + index * 44), fill="#3465a4")


def _dialog(draw: ImageDraw.ImageDraw, title: str) -> None:
    draw.rectangle((430, 250, 900, 620), fill="#f2f2f0", outline="#333333", width=2)
    draw.rectangle((430, 250, 900, 280), fill="#4c566a")
    draw.text((444, 256), title, fill="#eceff4", font=_font(15))
    for index, kind in enumerate(("Column", "Bar", "Pie", "Area", "Line", "XY (Scatter)")):
        draw.text((450, 300 + index * 26), kind, fill="#111111", font=_font(15))
    for index, button in enumerate(("Cancel", "Finish")):
        draw.rounded_rectangle((650 + index * 115, 570, 750 + index * 115, 602), 5, fill="#dfe3e8", outline="#8899aa")
        draw.text((672 + index * 115, 577), button, fill="#111111", font=_font(15))


def _labels(draw: ImageDraw.ImageDraw, count: int) -> None:
    for index in range(count):
        x, y = (10 + index * 36, 88) if count > 5 else (425, 296 + index * 26)
        draw.rounded_rectangle((x, y, x + 22, y + 15), 3, fill="#ffd84d", outline="#5a4500")
        draw.text((x + 4, y + 1), str(index + 1), fill="#1a1400", font=_font(12))


if __name__ == "__main__":
    write_demo_session(Path(sys.argv[1]))
