"""Writes the documents of the suite office-20, the same bytes every time.

Run from the root of the project: python3 -m tools.make_office_suite. Persons, firms and places are invented.
"""

from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Final

from tools.office_files import (
    Formula,
    Sheet,
    Slide,
    Table,
    Text,
    write_docx,
    write_odp,
    write_ods,
    write_odt,
    write_xlsx,
)

SUITE: Final = Path(__file__).parent.parent / "src/deskhand/eval/suites/office-20"


def travel_costs(path: Path) -> Path:
    trips = (
        (date(2027, 1, 12), "Client visit Norvale", 184, 96.4),
        (date(2027, 1, 19), "Trade fair, day 1", 62, 41.25),
        (date(2027, 1, 20), "Trade fair, day 2", 62, 38.9),
        (date(2027, 2, 3), "Site survey Eastmoor", 240, 127.15),
        (date(2027, 2, 11), "Supplier audit", 98, 54.0),
        (date(2027, 2, 25), "Client visit Norvale", 184, 102.6),
        (date(2027, 3, 4), "Training", 36, 18.75),
        (date(2027, 3, 9), "Site survey Eastmoor", 240, 131.3),
        (date(2027, 3, 17), "Board meeting", 12, 9.5),
        (date(2027, 3, 30), "Client visit Sandholm", 312, 188.05),
    )
    head = ("Date", "Trip", "Kilometres", "Amount")
    sheet = Sheet("Trips", (head, *trips), (2.6, 5.5, 2.6, 2.6), formats={0: "day", 3: "money"})
    rates = Sheet("Rates", (("Vehicle", "Per kilometre"), ("Car", 0.3), ("Motorcycle", 0.2)), (3.0, 3.0))
    return write_ods(path, sheet, rates)


def inventory(path: Path) -> Path:
    kinds = ("Bracket", "Hinge", "Bolt set", "Washer", "Drawer rail", "Handle", "Hook", "Caster")
    rows = [(f"P-{100 + n}", f"{kinds[n % 8]} {n // 8 + 1}", "ABCD"[n % 4], (n * 37) % 90 + 5) for n in range(64)]
    head = ("Part", "Name", "Shelf", "In stock")
    return write_ods(path, Sheet("Inventory", (head, *rows), (2.4, 4.5, 2.0, 2.4)))


def staff(path: Path) -> Path:
    people = (
        ("Orla Vint", "Service", date(2021, 9, 1), 31),
        ("Mats Kerling", "Design", date(2019, 4, 15), 38),
        ("Ines Abara", "Service", date(2018, 2, 1), 40),
        ("Tobin Hale", "Accounts", date(2023, 1, 9), 20),
        ("Greta Solano", "Design", date(2024, 6, 3), 38),
        ("Pim Dorset", "Service", date(2024, 11, 18), 35),
        ("Lena Quist", "Accounts", date(2017, 8, 21), 40),
        ("Rafe Monk", "Design", date(2016, 10, 10), 32),
        ("Suri Bell", "Workshop", date(2020, 5, 4), 40),
        ("Jonas Wray", "Accounts", date(2020, 3, 2), 38),
        ("Ada Finch", "Workshop", date(2019, 12, 16), 24),
    )
    head = ("Name", "Department", "Start", "Hours")
    return write_ods(path, Sheet("Staff", (head, *people), (4.0, 3.2, 2.8, 2.0), formats={2: "day"}))


def subscribers(path: Path) -> Path:
    rows = (
        ("Kit Marlow", "kit@marlow.example", "Paper"),
        ("Dana Frost", "dana.frost@post.example", "Online"),
        ("Ruben Ost", "ruben@ost.example", "Online"),
        ("Kit Marlow", "kit@marlow.example", "Paper"),
        ("Mara Lind", "mara.lind@post.example", "Paper"),
        ("Dana Frost", "dana.frost@post.example", "Paper"),
        ("Eli Thorn", "eli@thorn.example", "Online"),
        ("Ruben Ost", "ruben@ost.example", "Online"),
        ("Nell Avery", "nell@avery.example", "Online"),
        ("Ruben Ost", "ruben@ost.example", "Online"),
        ("Sam Pryce", "sam.pryce@post.example", "Paper"),
    )
    return write_xlsx(path, Sheet("Subscribers", (("Name", "E-mail", "Edition"), *rows), (4.0, 6.0, 2.5)))


def price_list(path: Path) -> Path:
    rows = (
        ("Desk, oak", 1249.0, 0.19, date(2027, 1, 4)),
        ("Desk, beech", 989.5, 0.19, date(2027, 1, 4)),
        ("Chair, swivel", 214.9, 0.19, date(2026, 11, 16)),
        ("Cabinet, three doors", 2310.0, 0.07, date(2026, 9, 30)),
        ("Lamp, reading", 58.75, 0.07, date(2027, 2, 8)),
        ("Shelf, 5 boards", 12400.0, 0.19, date(2026, 12, 1)),
    )
    head = ("Article", "Price", "Tax", "Valid from")
    return write_ods(path, Sheet("Prices", (head, *rows), (5.0, 2.6, 2.0, 3.0), heading=False, formats={3: "day"}))


def stock(path: Path) -> Path:
    rows = (
        ("Paper A4", 46, 20),
        ("Paper A3", 7, 10),
        ("Toner black", 3, 4),
        ("Toner cyan", 12, 4),
        ("Envelopes C5", 10, 10),
        ("Envelopes C4", 9, 10),
        ("Staples", 31, 12),
        ("Folders", 0, 15),
        ("Labels", 18, 8),
    )
    return write_ods(path, Sheet("Stock", (("Article", "In stock", "Wanted"), *rows), (4.0, 2.4, 2.4)))


def energy(path: Path) -> Path:
    months = ("January", "February", "March", "April", "May", "June")
    rows = list(zip(months, (812, 764, 690, 541, 402, 355), (310, 298, 305, 276, 281, 269), strict=True))
    return write_ods(path, Sheet("Use", (("Month", "Heating", "Power"), *rows), (3.0, 2.4, 2.4)))


def orders(path: Path) -> Path:
    regions = ("North", "South", "East", "North", "West", "South", "East", "North", "West", "South", "North", "East")
    amounts = (1200, 450, 980, 310, 1475, 260, 615, 890, 240, 1330, 75, 505)
    rows = [
        (f"O-{501 + number}", region, amount)
        for number, (region, amount) in enumerate(zip(regions, amounts, strict=True))
    ]
    return write_ods(path, Sheet("Orders", (("Order", "Region", "Amount"), *rows), (2.6, 2.6, 2.6)))


def tickets(path: Path) -> Path:
    rows = (
        (4101, "Printer jams", "Open", "Low"),
        (4102, "No sound in room 3", "Closed", "Low"),
        (4103, "Door reader offline", "Open", "High"),
        (4104, "New mailbox", "Waiting", "Low"),
        (4105, "Projector bulb", "Closed", "High"),
        (4106, "Slow network", "Open", "High"),
        (4107, "Broken chair", "Waiting", "Low"),
        (4108, "Lost badge", "Closed", "High"),
        (4109, "Reopened: scanner", "Open", "Low"),
    )
    return write_ods(path, Sheet("Tickets", (("Number", "Subject", "Status", "Priority"), *rows), (2.2, 5.0, 2.4, 2.4)))


def members(path: Path) -> Path:
    rows = (
        ("Alba Reyes", "alba@reyes.example", 2019),
        ("Boris Lang", "boris.lang@post.example", 2021),
        ("Clio Marsh", "clio@marsh.example", 2018),
        ("Dov Peretz", "dov@peretz.example", 2022),
        ("Edda Storm", "edda@storm.example", 2020),
    )
    return write_ods(path, Sheet("Members", (("Name", "E-mail", "Since"), *rows), (4.0, 5.5, 2.0)))


def sign_ups(path: Path) -> Path:
    rows = (
        ("Name", "E-mail", "Since"),
        ("Finn Odell", "finn@odell.example", "2027"),
        ("Boris Lang", "boris.lang@post.example", "2021"),
        ("Gwen Tarr", "gwen.tarr@post.example", "2027"),
        ("Edda Storm", "edda@storm.example", "2020"),
        ("Hugo Lind", "hugo@lind.example", "2027"),
    )
    path.write_text("".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


_LEASE: Final = (
    """Thank you for your interest in the studios on the first floor. This letter sums up what we agreed when you
    visited **{firm}** on 3 March, and what we still need from you before the keys can be handed over.""",
    """The rooms are let as seen. {firm} has them cleaned and painted before you move in; the floor of the smaller room
    is sanded in the first week of June. Changes to walls and wiring need our consent in writing.""",
    """The rent is due on the third working day of each month. Heating, water and the lift are charged once a year
    according to the meters. **The deposit is three months' rent** and is paid back with interest.""",
    """Deliveries come through the yard, between seven and nine in the morning. The office of {firm} keeps a key for
    the gate. Please tell your carriers that the lane behind the harbour is closed to lorries.""",
    """Machines may run until eight in the evening. The neighbours in the Harbour Lane café have been patient with us,
    and we should like it to stay so.""",
    "Bicycles stand in the cellar, cars in the street. There is no parking on the premises of {firm}.",
    "Your insurance has to cover glass and water. A copy of the policy goes to {firm} before the lease begins.",
    "If you accept these terms, please sign both copies and send one of them back within fourteen days.",
)


def lease_letter(path: Path) -> Path:
    firm = "Harbour Lane Studios"
    body = [Text(" ".join(text.format(firm=firm).split())) for text in _LEASE]
    body[2] = Text(body[2].text, note=f"As published in the house rules of {firm}, section 4.")
    table = Table(
        "Rooms",
        (
            ("Room", "Size", "Let by"),
            ("1.04", "42 m²", firm),
            ("1.05", "18 m²", firm),
            ("Cellar 7", "6 m²", "Town hall"),
        ),
    )
    return write_odt(
        path,
        Text("Lease of two studios", "Title"),
        Text("Dear Ms Oakley,"),
        *body[:4],
        table,
        *body[4:],
        Text("With kind regards"),
        Text(f"Jorun Aske, {firm}"),
        header=f"{firm} · Quay 12 · Brightmouth",
    )


_SECTIONS: Final = (
    ("Purpose", 1),
    (
        "The garden behind the library has been closed since the storm. This report says what opening it again takes.",
        0,
    ),
    ("Damage", 1),
    ("Two inspections were made, one of the trees and one of the walls.", 0),
    ("Trees", 2),
    ("Three limes have to be felled. The walnut can be kept if its crown is cut back before spring.", 0),
    ("Walls", 2),
    ("The east wall leans by four centimetres. Damage to the gate is slight.", 0),
    ("Costs", 1),
    ("The offers that we have add up to 18,400. Purpose and amount were agreed with the treasurer.", 0),
    ("Next steps", 1),
    ("The council decides in April. Work takes five weeks.", 0),
)


def garden_report(path: Path) -> Path:
    """Its headings are only bold."""
    body = [Text(f"**{text}**" if level else text) for text, level in _SECTIONS]
    return write_odt(path, Text("The library garden", "Title"), *body)


def minutes(path: Path) -> Path:
    return write_odt(
        path,
        Text("Minutes of the choir committee", "Title"),
        Text("Present: Ulla Brand, Piet Somers, Cass Ewing. Excused: Noor Vale."),
        Text("The summer concert takes place on the second Saturday of June in the old boathouse."),
        Text("Tasks agreed:", "Heading_20_1"),
        Text("Whoever cannot do a task in time tells Ulla a week before.", "Text_20_body"),
        Text("Next meeting", "Heading_20_1"),
        Text("**Tuesday**, at eight, in the practice room."),
    )


def quotation(path: Path) -> Path:
    lines = (
        ("Item", "Pieces", "Price"),
        ("Window frame, larch", "6", "2,940.00"),
        ("Sill, slate", "6", "510.00"),
        ("Fitting", "1", "1,180.00"),
    )
    return write_odt(
        path,
        Text("Quotation 2027-031", "Title"),
        Text("For the renewal of six windows on the ground floor of the parish hall we offer:"),
        Table("Items", lines),
        Text("The sum is **4,630.00** without tax. The offer stands until the end of May."),
        Text("Ferris & Daughters, joiners"),
        footer="Ferris & Daughters · Mill Yard 3 · Lower Winsham",
    )


def invitation(path: Path) -> Path:
    plan = (
        ("When", "What"),
        ("14 May 2027, 10:00", "Guided walk through the workshop"),
        ("14 May 2027, 14:00", "Talks"),
        ("15 May 2027, 9:30", "Breakfast for members"),
    )
    return write_docx(
        path,
        Text("Open day of the clockmakers' guild"),
        Text("We invite you to our open day on **14 May 2027**. It is the first since 14 May 2019."),
        Table("Plan", plan),
        Text("Please reply by 14 April 2027."),
        header="Open day, 14 May 2027",
    )


def project(path: Path) -> Path:
    return write_odp(
        path,
        Slide("Cover", "A new reading room", subtitle="Friends of the town archive"),
        Slide("Today", "Where we stand", ("The roof is dry", "Shelves are ordered", "Two volunteers are missing")),
        Slide("Money", "What it costs", ("Shelves: 3,200", "Lamps: 900"), notes="Mention the grant."),
    )


def talk(path: Path) -> Path:
    return write_odp(
        path,
        Slide("page1", "Bees in the city", subtitle="An introduction"),
        Slide("page2", "Why roofs?", ("Warm", "Out of the wind", "Nobody minds")),
        Slide("page3", "What it takes", ("Two hives", "A ladder", "Patience")),
        Slide("page4", "Questions", ("Ask now", "Or write to us")),
    )


def offer(path: Path) -> Path:
    return write_odp(
        path,
        Slide("Cover", "Kayaks for hire", subtitle="Season 2027"),
        Slide("Boats", "Our boats", ("Singles", "Doubles", "One canoe")),
        Slide("Prices", "Prices", ("Hour: 12", "Day: 48"), notes="Not decided yet."),
        Slide("Contact", "How to find us", ("By the lock", "Open from May")),
    )


_HARVEST: Final = (
    ("Plot", "Crop", "Kilos"),
    ("1", "Potatoes", "128.5"),
    ("2", "Carrots", "46"),
    ("3", "Onions", "39.75"),
    ("4", "Beans", "22"),
)


def harvest_notes(path: Path) -> Path:
    return write_odt(
        path,
        Text("Harvest of the allotments", "Title"),
        Text("Weighed on the last Sunday of September by the two of us."),
        Table("Harvest", _HARVEST),
        Text("Plot 5 lay fallow."),
    )


def harvest_sheet(path: Path) -> Path:
    years = (("Year", "Kilos in all"), (2024, 201.5), (2025, 219), (2026, 198.25))
    return write_ods(
        path, Sheet("Years", years, (2.4, 3.0)), Sheet("Plots", (("This year, by plot",),), (3.5, 3.0, 2.4))
    )


def accounts(path: Path) -> Path:
    rows = (
        ("Heading", "Budget", "Spent"),
        ("Costumes", 900, 812.4),
        ("Stage", 1500, 1634.1),
        ("Printing", 300, 248.25),
    )
    total = ("Total", Formula("=SUM([.B2:.B4])", 2700), Formula("=SUM([.C2:.C4])", 2694.75))
    left = ("Left over", None, Formula("=[.B5]-[.C5]", 5.25))
    return write_ods(path, Sheet("Accounts", (*rows, total, left), (3.4, 2.6, 2.6), formats={1: "money", 2: "money"}))


def treasurer_letter(path: Path) -> Path:
    return write_odt(
        path,
        Text("Accounts of the theatre group", "Title"),
        Text("Dear members,"),
        Text("for this season you had granted us a budget of [BUDGET]. We have spent **[SPENT]**; [LEFT] are left."),
        Text("The stage cost more than planned: [STAGE] instead of 1500. The [HALL] was free of charge."),
        Text("Your treasurer"),
    )


DOCUMENTS: Final[Mapping[str, Callable[[Path], Path]]] = {
    "total-of-a-column/travel-costs.ods": travel_costs,
    "freeze-the-first-row/inventory.ods": inventory,
    "sort-by-two-keys/staff.ods": staff,
    "remove-duplicates/subscribers.xlsx": subscribers,
    "number-formats/price-list.ods": price_list,
    "conditional-format/stock.ods": stock,
    "chart-of-a-table/energy.ods": energy,
    "summary-on-a-second-sheet/orders.ods": orders,
    "filter-rows/tickets.ods": tickets,
    "merge-two-lists/members.ods": members,
    "merge-two-lists/sign-ups.csv": sign_ups,
    "replace-in-a-letter/lease.odt": lease_letter,
    "heading-styles/garden.odt": garden_report,
    "insert-a-table/minutes.odt": minutes,
    "export-to-pdf/quotation.odt": quotation,
    "change-the-date/invitation.docx": invitation,
    "add-a-slide/project.odp": project,
    "rename-slides/talk.odp": talk,
    "hide-a-slide/offer.odp": offer,
    "table-into-a-sheet/notes.odt": harvest_notes,
    "table-into-a-sheet/harvest.ods": harvest_sheet,
    "totals-into-a-letter/accounts.ods": accounts,
    "totals-into-a-letter/letter.odt": treasurer_letter,
}


def write(suite: Path) -> None:
    for name, document in DOCUMENTS.items():
        path = suite / name
        path.parent.mkdir(parents=True, exist_ok=True)
        document(path)


if __name__ == "__main__":
    write(SUITE)
    print(f"wrote {len(DOCUMENTS)} documents")
