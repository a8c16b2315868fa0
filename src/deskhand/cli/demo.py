"""`deskhand demo`: the reference task, with a playbook as the model."""

import os
from enum import StrEnum
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Annotated, Final

import typer

from deskhand import __version__
from deskhand.cli.detail_choice import QuietOption, VerboseOption, chosen_detail, session_progress
from deskhand.cli.document_check import text_document
from deskhand.cli.preflight import LOG_NAME, REPORT_NAME, check_machine, clear_folder
from deskhand.cli.session_run import carry_out
from deskhand.cli.table_choice import explain, table_selector
from deskhand.config.load import Sources, load
from deskhand.config.secrets import model_keys
from deskhand.eval.spreadsheet import SpreadsheetChecker
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.notify import notifications
from deskhand.session.build import SessionPlan, new_session_id
from deskhand.telemetry.recording import check_telemetry

REQUEST: Final = "Extract the sales table from the Writer document and create a bar chart in Calc"
_PLAYBOOK: Final = "models/playbooks/writer-table-to-calc-chart.yaml"
_SAMPLE: Final = "samples/report.odt"


class Format(StrEnum):
    ODS = "ods"
    XLSX = "xlsx"


def add_to(app: typer.Typer) -> None:
    app.command("demo")(demo)


def demo(  # noqa: PLR0913, PLR0917 - one parameter per option
    out: Annotated[Path, typer.Option(help="Folder for the spreadsheet, the report and the log.")] = Path(
        "deskhand-demo"
    ),
    document: Annotated[
        Path | None, typer.Option(help="A .odt or .docx file with a table.", show_default="the sample")
    ] = None,
    format: Annotated[Format, typer.Option(help="Format of the spreadsheet.")] = Format.ODS,  # noqa: A002 - the option
    table: Annotated[str, typer.Option(help="Number or name of the table.", show_default="the only one")] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace the files of an earlier run in the folder.")] = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Make a bar chart in Calc from a table in a Writer document, through the applications' own windows.

    Needs no model and no network: a playbook makes the decisions.
    """
    detail = chosen_detail(quiet=quiet, verbose=verbose)
    package = resources.files("deskhand")
    playbook = parse_playbook((package / _PLAYBOOK).read_text(encoding="utf-8"), Path(_PLAYBOOK).name)
    out, output = out.absolute(), out.absolute() / f"sales.{format.value}"
    parameters: dict[str, object] = {"output": str(output)}
    if table:
        parameters["table"] = table_selector(table)
    model = PlaybookModel(playbook, parameters)
    sources = Sources(os.environ, Path.cwd())
    configuration = load(sources)
    variables = model_keys(sources, configuration.models)
    system = configuration.system.model_copy(update={"application_interface": False})
    configuration = configuration.model_copy(update={"system": system})
    with resources.as_file(package / _SAMPLE) as sample:
        source = text_document(document or sample)
        check_machine()
        check_telemetry(configuration)
        clear_folder(out, (output,), inputs=(source,), force=force)
        plan = SessionPlan(
            session_id=new_session_id(),
            session_dir=out / LOG_NAME,
            requests=(REQUEST,),
            model=model,
            configuration=configuration,
            files=(source,),
            checkers=(SpreadsheetChecker(output),),
            listeners=(session_progress(detail, configuration.models),),
            outputs=(output,),
            parameters={name: str(value) for name, value in parameters.items()},
            version=__version__,
            notifications=notifications(configuration.notify, variables, os.environ),
        )
        return carry_out(plan, out / REPORT_NAME, as_json=as_json, explain=partial(explain, table))
