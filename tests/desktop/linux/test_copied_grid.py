"""Tables as LibreOffice puts them into the clipboard."""

import pytest

from deskhand.desktop.linux.toolkits.libreoffice.writer.clipboard_grid import rows_of

HTML = """<html><body><table width="100%">
	<tr valign="top">
		<td rowspan="2" colspan="2"><p style="margin-bottom: 0in">
			x</p>
			<p>y</p>
		</td>
		<td><p style="margin-bottom: 0in">a	b</p>
			<p><br/>

			</p>
		</td>
	</tr>
	<tr valign="top">
		<td><p>one wrapped
			line	<br/>
next</p>
		</td>
	</tr>
	<tr valign="top">
		<td><p>	</p>
		</td>
		<td><p><br/>

			</p>
		</td>
		<td><p>end</p>
		</td>
	</tr>
</table></body></html>"""
ROWS = (
    ("x\ny", "", "a\tb\n"),
    ("", "", "one wrapped line\t\nnext"),
    ("\t", "", "end"),
)
CELLS_BY_LINES = "x\ny\na\tb\n\n\none wrapped line\t\nnext\n\t\n\nend\n"
CELLS_BY_TABS = "x\ny\ta\tb\n\n\tone wrapped line\t\nnext\n\t\t\tend\n"


@pytest.mark.parametrize("plain", [CELLS_BY_LINES, CELLS_BY_TABS], ids=["7.4", "25.2"])
def test_a_table_is_read_from_what_either_version_copies(plain: str) -> None:
    assert rows_of(HTML, plain) == ROWS


@pytest.mark.parametrize("plain", [CELLS_BY_LINES, CELLS_BY_TABS], ids=["7.4", "25.2"])
@pytest.mark.parametrize("more", ["\n", "end\n", "\tend\n"])
def test_a_text_that_does_not_fit_the_grid_is_no_table(plain: str, more: str) -> None:
    assert rows_of(HTML, plain + more) is None


@pytest.mark.parametrize("lost", ["\t", "\n"])
def test_a_tab_or_line_too_few_is_no_table(lost: str) -> None:
    assert rows_of(HTML, CELLS_BY_TABS.replace(lost, "", 1)) is None


def test_a_grid_with_a_hole_is_no_table() -> None:
    assert rows_of("<table><tr><td><p>a</p></td><td><p>b</p></td></tr><tr><td><p>c</p></td></tr></table>", "") is None


def test_the_text_of_something_else_is_no_table() -> None:
    assert rows_of("<p>a</p>", "a\n") is None
    assert rows_of("", "") is None


INNER = "<table><tr><td><p>i1</p></td><td><p>i2</p></td></tr><tr><td><p>i3</p></td><td><p>a	b</p></td></tr></table>"
OUTER = (
    "<table><tr><td><p>A</p></td><td><p>before</p>" + INNER + "<p>after</p></td></tr>"
    "<tr><td><p>C</p></td><td><p>D</p></td></tr></table>"
)


@pytest.mark.parametrize(
    "plain",
    ["A\nbefore\ni1\ni2\ni3\na\tb\nafter\nC\nD\n", "A\tbefore\ni1\ti2\ni3\ta\tb\nafter\tC\nD\t\n\t\n"],
    ids=["7.4", "25.2"],
)
def test_a_table_inside_of_a_cell_is_part_of_its_text(plain: str) -> None:
    assert rows_of(OUTER, plain) == (("A", "before\ni1\ni2\ni3\na\tb\nafter"), ("C", "D"))


def test_separators_that_shift_the_texts_of_such_a_table_make_it_none() -> None:
    plain = "A\tbefore\ni1\ti2\ni3\ta\tb\nafter\t\tC\n"
    assert rows_of(OUTER.replace("<p>D</p>", "<p><br/></p>"), plain) is None


@pytest.mark.requires("command.read-table")
@pytest.mark.parametrize("span", ['colspan="100%"', 'colspan="0"', 'rowspan="9999" colspan="9999"'])
def test_a_table_that_libreoffice_would_not_write_is_none(span: str) -> None:
    html = f"<table><tr><td {span}><p>a</p></td><td><p>b</p></td></tr></table>"
    assert rows_of(html, "a\nb\n") is None
    assert rows_of(html.replace(span, 'colspan="1"'), "a\nb\n") == (("a", "b"),)
