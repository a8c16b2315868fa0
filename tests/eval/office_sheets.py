"""Right and wrong outcomes of the tasks of office-20 in Calc."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from eval.office_edits import BLANK, Edit, Outcomes, add, arrange, below, edit, number, row, second_sheet, words

TRIPS: Final = "travel-costs.ods"
_RATES: Final = '<table:table table:name="Rates"'


def _cut(path: Path) -> None:
    path.write_text(
        path.read_text(encoding="utf-8").removesuffix("Hugo Lind,hugo@lind.example,2027\n"), encoding="utf-8"
    )


def _trips(*cells: str, gap: bool = True) -> tuple[Edit, ...]:
    """The last row of the sheet of trips."""
    return (below(TRIPS, (row(BLANK) if gap else "") + row(BLANK, BLANK, *cells), before=_RATES),)


_SUM: Final = number(807.9, "=SUM([.D2:.D11])")
TOTAL: Final = Outcomes(
    _trips(words("Total"), _SUM),
    {
        "an amount is another one": [edit(TRIPS, 'office:value="54.0"', 'office:value="45.0"')],
        "a rate on the other sheet is another one": [edit(TRIPS, 'office:value="0.3"', 'office:value="0.35"')],
        "the formula adds up the kilometres": [edit(TRIPS, "[.D2:.D11]", "[.C2:.C11]")],
        "amounts have lost their decimals": [edit(TRIPS, "<text:p>54.00<", "<text:p>54<")],
        "another sheet": [second_sheet(TRIPS)],
    },
    {
        "a number in place of the formula": _trips(words("Total"), number(807.9)),
        "a formula of the number alone": _trips(words("Total"), number(807.9, "=807.9")),
        "the last trip is left out": _trips(words("Total"), number(619.85, "=SUM([.D2:.D10])")),
        "no word beside it": _trips(BLANK, _SUM),
        "a row too high": _trips(words("Total"), _SUM, gap=False),
    },
)

STOCK: Final = "inventory.ods"


def _frozen(rows: int, columns: int, mode: int = 2) -> list[Edit]:
    """Settings as LibreOffice writes them for a view that is split."""
    items = {
        "HorizontalSplitMode": mode if columns else 0,
        "VerticalSplitMode": mode if rows else 0,
        "HorizontalSplitPosition": columns,
        "VerticalSplitPosition": rows,
    }
    inner = "".join(
        f'<config:config-item config:name="{name}" config:type="int">{value}</config:config-item>'
        for name, value in items.items()
    )
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    settings = (
        f'<office:document-settings xmlns:office="{urn}:office:1.0" xmlns:config="{urn}:config:1.0"><office:settings>'
        f'<config:config-item-map-entry config:name="Inventory">{inner}</config:config-item-map-entry>'
        "</office:settings></office:document-settings>"
    )
    return [add(STOCK, "settings.xml", settings)]


_PART: Final = f"<table:table-row>{words('P-102')}"
FREEZE: Final = Outcomes(
    _frozen(1, 0),
    {
        "two rows": _frozen(2, 0),
        "the first column as well": _frozen(1, 1),
        "the first column alone": _frozen(0, 1),
        "split, not frozen": _frozen(1, 0, mode=1),
        "a part has another shelf": [edit(STOCK, "<text:p>Hinge 3<", "<text:p>Hinge 33<")],
        "the headings are gone": [arrange(STOCK, range(2, 66))],
        "a row is hidden": [edit(STOCK, _PART, _PART.replace("row>", 'row table:visibility="collapse">', 1))],
    },
    {},
)

STAFF: Final = "staff.ods"
_SORTED: Final = (1, 8, 11, 5, 9, 3, 6, 4, 2, 7, 12, 10)
SORT: Final = Outcomes(
    [arrange(STAFF, _SORTED)],
    {
        "hours beside another name": [
            edit(STAFF, 'office:value="31"', 'office:value="0"'),
            edit(STAFF, 'office:value="35"', 'office:value="31"'),
            edit(STAFF, 'office:value="0"', 'office:value="35"'),
        ],
        "a start date is a text": [
            edit(STAFF, 'office:value-type="date" office:date-value="2017-08-21"', 'office:value-type="string"')
        ],
        "a start date is shown otherwise": [edit(STAFF, "<text:p>2017-08-21<", "<text:p>08/21/17<")],
        "the headings are not bold any more": [edit(STAFF, ' table:style-name="head"', "")],
        "a formula in place of the hours": [
            edit(STAFF, ' office:value="31"', ' office:value="31" table:formula="of:=31"')
        ],
    },
    {
        "by department alone": [arrange(STAFF, (1, 5, 8, 11, 3, 6, 9, 2, 4, 7, 10, 12))],
        "by start alone": [arrange(STAFF, (1, 9, 8, 4, 3, 12, 11, 10, 2, 5, 6, 7))],
        "the newest first": [arrange(STAFF, (1, 5, 11, 8, 6, 3, 9, 7, 2, 4, 10, 12))],
        "the headings below": [arrange(STAFF, (*_SORTED[1:], 1))],
        "one person is lost": [arrange(STAFF, _SORTED[:-1])],
    },
)

READERS: Final = "subscribers.xlsx"
_SHEET: Final = "xl/worksheets/sheet1.xml"


def _readers(*rows: int) -> list[Edit]:
    return [arrange(READERS, rows, _SHEET, "row")]


DUPLICATES: Final = Outcomes(
    _readers(1, 2, 3, 4, 6, 7, 8, 10, 12),
    {
        "a name is another one": [edit(READERS, "Nell Avery", "Nell Every", _SHEET)],
        "another sheet": [
            edit(READERS, "</sheets>", '<sheet name="Sheet9" sheetId="2"/></sheets>', "xl/workbook.xml"),
            add(READERS, "xl/worksheets/sheet2.xml", "<worksheet/>"),
        ],
    },
    {
        "one is still there": _readers(1, 2, 3, 4, 6, 7, 8, 9, 10, 12),
        "by address alone": _readers(1, 2, 3, 4, 6, 8, 10, 12),
        "the later ones were kept": _readers(1, 3, 5, 6, 7, 8, 10, 11, 12),
        "sorted by name": _readers(1, 3, 7, 8, 2, 6, 10, 4, 12),
        "the headings are gone": _readers(2, 3, 4, 6, 7, 8, 10, 12),
        "only repeated rows, once each": _readers(1, 2, 4),
    },
)

PRICES: Final = "price-list.ods"
_PRICES: Final = (1249.0, 989.5, 214.9, 2310.0, 58.75, 12400.0)
_TAXES: Final = (0.19, 0.07)


def _cell(value: float, shown: str, kind: str = "float", style: str = "") -> str:
    look = f' table:style-name="{style}"' if style else ""
    return f'<table:table-cell{look} office:value-type="{kind}" office:value="{value}"><text:p>{shown}</text:p>'


def _prices(*values: float) -> list[Edit]:
    return [
        edit(PRICES, _cell(value, f"{value:.12g}"), _cell(value, f"{value:,.2f}", style="money")) for value in values
    ]


def _taxes(*values: float) -> list[Edit]:
    return [edit(PRICES, _cell(tax, f"{tax}"), _cell(tax, f"{tax:.0%}", "percentage", "percent")) for tax in values]


_STRONG: Final = (
    '<style:style style:name="strong" style:family="table-cell"><style:text-properties fo:font-weight="bold"/>'
)
_YELLOW: Final = '<style:table-cell-properties fo:background-color="#ffff00"/>'


def _bold(*names: str) -> list[Edit]:
    plain = '<table:table-cell office:value-type="string"><text:p>{}<'
    ends = "</office:automatic-styles>"
    styled = [edit(PRICES, ends, f"{_STRONG}</style:style>{ends}")] if names else []
    to = plain.replace("<table:table-cell", '<table:table-cell table:style-name="strong"')
    return styled + [edit(PRICES, plain.format(name), to.format(name)) for name in names]


_HEADINGS: Final = ("Article", "Price", "Tax", "Valid from")
FORMATS: Final = Outcomes(
    [*_prices(*_PRICES), *_taxes(*_TAXES), *_bold(*_HEADINGS)],
    {
        "a price is rounded": [edit(PRICES, 'office:value="989.5"', 'office:value="990"')],
        "an article has another name": [edit(PRICES, "Lamp, reading", "Reading lamp")],
        "taxes are a hundred times as much": [edit(PRICES, 'office:value="0.19"', 'office:value="19"')],
        "a price is a text": [
            edit(PRICES, 'office:value-type="float" office:value="2310.0"', 'office:value-type="string"')
        ],
        "a day is shown otherwise": [edit(PRICES, "<text:p>2027-02-08<", "<text:p>02/08/27<")],
        "the headings have a colour": [edit(PRICES, _STRONG, _STRONG + _YELLOW)],
    },
    {
        "one price is as before": [*_prices(*_PRICES[1:]), *_taxes(*_TAXES), *_bold(*_HEADINGS)],
        "the taxes are as before": [*_prices(*_PRICES), *_bold(*_HEADINGS)],
        "one heading is not bold": [*_prices(*_PRICES), *_taxes(*_TAXES), *_bold(*_HEADINGS[:3])],
        "an article is bold too": [*_prices(*_PRICES), *_taxes(*_TAXES), *_bold(*_HEADINGS, "Desk, oak")],
    },
)

SUPPLIES: Final = "stock.ods"
_CALC: Final = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"


def _condition(cells: str = "B2:B10", when: str = "&lt;10", style: str = "Bad") -> list[Edit]:
    ends = "</table:table></office:spreadsheet>"
    ways = (
        f'<c:conditional-formats xmlns:c="{_CALC}"><c:conditional-format c:target-range-address="Stock.{cells}">'
        f'<c:condition c:apply-style-name="{style}" c:value="{when}"/></c:conditional-format></c:conditional-formats>'
    )
    return [edit(SUPPLIES, ends, ways + ends)]


_RED: Final = edit(
    SUPPLIES,
    '<style:style style:name="day"',
    '<style:style style:name="red" style:family="table-cell">'
    '<style:table-cell-properties fo:background-color="#ffcccc"/></style:style><style:style style:name="day"',
)
CONDITION: Final = Outcomes(
    _condition(),
    {
        "a number is another one": [edit(SUPPLIES, 'office:value="46"', 'office:value="64"')],
        "a second one for the other column": _condition("C2:C10"),
        "zero is marked by hand as well": [
            _RED,
            edit(
                SUPPLIES,
                '<table:table-cell office:value-type="float" office:value="0">',
                '<table:table-cell table:style-name="red" office:value-type="float" office:value="0">',
            ),
        ],
    },
    {
        "ten is marked too": _condition(when="&lt;=10"),
        "the last row is left out": _condition("B2:B9"),
        "the whole column": _condition("B1:B1048576"),
        "another style": _condition(style="Good"),
        "marked by hand": [
            _RED,
            *(
                edit(
                    SUPPLIES,
                    f'<table:table-cell office:value-type="float" office:value="{value}">',
                    f'<table:table-cell table:style-name="red" office:value-type="float" office:value="{value}">',
                )
                for value in (7, 3, 9, 0)
            ),
        ],
    },
)

ENERGY: Final = "energy.ods"
_HEAT, _POWER = ("B2:.B7", "B1"), ("C2:.C7", "C1")


def _chart(
    kind: str = "bar",
    *series: tuple[str, str],
    title: str = "Energy use",
    months: str = "A2:.A7",
    lying: bool = False,
) -> list[Edit]:
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    names = " ".join(
        f'xmlns:{short}="{urn}:{name}:1.0"'
        for short, name in {
            "office": "office",
            "chart": "chart",
            "table": "table",
            "text": "text",
            "style": "style",
        }.items()
    )
    heading = f"<chart:title><text:p>{title}</text:p></chart:title>" if title else ""
    lines = "".join(
        f'<chart:series chart:values-cell-range-address="Use.{values}" chart:label-cell-address="Use.{name}"/>'
        for values, name in series or (_HEAT, _POWER)
    )
    look = '<style:style><style:chart-properties chart:vertical="true"/></style:style>' if lying else ""
    content = (
        f"<office:document-content {names}><office:automatic-styles>{look}</office:automatic-styles>"
        f'<chart:chart chart:class="chart:{kind}">{heading}<chart:plot-area>'
        f'<chart:categories table:cell-range-address="Use.{months}"/>{lines}</chart:plot-area></chart:chart>'
        "</office:document-content>"
    )
    ends = "</table:table></office:spreadsheet>"
    drawn = (
        '<table:shapes><draw:frame><draw:object x:href="./Object 1" xmlns:x="http://www.w3.org/1999/xlink"/></draw:frame>'
        "</table:shapes>"
    )
    return [edit(ENERGY, ends, drawn + ends), add(ENERGY, "Object 1/content.xml", content)]


CHART: Final = Outcomes(
    _chart(),
    {
        "a number is another one": [edit(ENERGY, 'office:value="541"', 'office:value="451"')],
        "its content is gone": [add(ENERGY, "Object 1/content.xml", "<none/>")],
        "another sheet": [second_sheet(ENERGY)],
    },
    {
        "horizontal bars": _chart(lying=True),
        "lines": _chart("line"),
        "no title": _chart(title=""),
        "another title": _chart(title="Energy"),
        "one series": _chart("bar", _HEAT),
        "months as a series": _chart("bar", ("A2:.A7", "A1"), _HEAT, _POWER),
        "no names of the series": _chart("bar", ("B2:.B7", ""), ("C2:.C7", "")),
        "June is left out": _chart("bar", ("B2:.B6", "B1"), ("C2:.C6", "C1"), months="A2:.A6"),
        "no months along the axis": _chart(months=""),
    },
)

ORDERS: Final = "orders.ods"
_TOTALS: Final = {"North": 2475, "South": 2040, "East": 2100, "West": 1715}


def _summary(
    totals: Mapping[str, float], name: str = "Summary", head: Sequence[str] = ("Region", "Total"), formulas: bool = True
) -> list[Edit]:
    rows = [row(*map(words, head))]
    for place, (region, total) in enumerate(totals.items(), 2):
        formula = f"=SUMIF([$Orders.B$2:.B$13];[.A{place}];[$Orders.C$2:.C$13])" if formulas else ""
        rows.append(row(words(region), number(total, formula)))
    ends = "</office:spreadsheet>"
    return [edit(ORDERS, ends, f'<table:table table:name="{name}">{"".join(rows)}</table:table>{ends}')]


SUMMARY: Final = Outcomes(
    _summary(_TOTALS),
    {
        "an order is another one": [edit(ORDERS, 'office:value="1475"', 'office:value="1457"')],
        "an order has another number": [edit(ORDERS, "O-505", "O-555")],
        "a third sheet": _summary({}, "Sheet3", ()),
    },
    {
        "numbers in place of formulas": _summary(_TOTALS, formulas=False),
        "one region is missing": _summary({"North": 2475, "South": 2040, "East": 2100}),
        "another order": _summary(dict(sorted(_TOTALS.items()))),
        "another name of the sheet": _summary(_TOTALS, "Sheet2"),
        "a wrong total": _summary({**_TOTALS, "East": 2200}),
        "no headings": _summary(_TOTALS, head=()),
        "a total of all below": _summary({**_TOTALS, "All": 8330}),
    },
)

TICKETS: Final = "tickets.ods"


def _hidden(*numbers: int, way: str = "filter", also: str = "") -> list[Edit]:
    head = [
        edit(TICKETS, f"<table:table-row>{cell}", f'<table:table-row table:visibility="{way}">{cell}')
        for number in numbers
        for cell in [f'<table:table-cell office:value-type="float" office:value="{number}">']
    ]
    first = '<table:table-row><table:table-cell table:style-name="head"'
    return head + ([edit(TICKETS, first, first.replace("row>", 'row table:visibility="filter">', 1))] if also else [])


_OTHERS: Final = (4101, 4102, 4104, 4105, 4107, 4108, 4109)
FILTER: Final = Outcomes(
    _hidden(*_OTHERS),
    {
        "a status is another one": [edit(TICKETS, "<text:p>Projector bulb<", "<text:p>Projector<")],
        "a row that is to be shown is hidden too": _hidden(4103),
    },
    {
        "by status alone": _hidden(4102, 4104, 4105, 4107, 4108),
        "by priority alone": _hidden(4101, 4102, 4104, 4107, 4109),
        "the others are hidden by hand": _hidden(*_OTHERS, way="collapse"),
        "the others are deleted": [arrange(TICKETS, (1, 4, 7))],
        "the headings are hidden too": _hidden(*_OTHERS, also="head"),
    },
)

MEMBERS: Final = "members.ods"
_FINN: Final = row(words("Finn Odell"), words("finn@odell.example"), number(2027))
_GWEN: Final = row(words("Gwen Tarr"), words("gwen.tarr@post.example"), number(2027))
_HUGO: Final = row(words("Hugo Lind"), words("hugo@lind.example"), number(2027))
_BORIS: Final = row(words("Boris Lang"), words("boris.lang@post.example"), number(2021))
MERGE: Final = Outcomes(
    [below(MEMBERS, _FINN + _GWEN + _HUGO)],
    {
        "an old member has another year": [edit(MEMBERS, 'office:value="2018"', 'office:value="2008"')],
        "the list of sign-ups was changed": [lambda folder: _cut(folder / "sign-ups.csv")],
        "another sheet": [second_sheet(MEMBERS)],
    },
    {
        "one is in it twice": [below(MEMBERS, _FINN + _BORIS + _GWEN + _HUGO)],
        "the last one is missing": [below(MEMBERS, _FINN + _GWEN)],
        "another order": [below(MEMBERS, _GWEN + _FINN + _HUGO)],
        "a year is a text": [
            below(MEMBERS, _FINN + _GWEN + row(words("Hugo Lind"), words("hugo@lind.example"), words("2027")))
        ],
        "the headings of the other list are in it": [
            below(MEMBERS, row(*map(words, ("Name", "E-mail", "Since"))) + _FINN + _GWEN + _HUGO)
        ],
        "a gap above them": [below(MEMBERS, row(BLANK) + _FINN + _GWEN + _HUGO)],
    },
)
