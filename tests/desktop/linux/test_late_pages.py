"""What Chromium tells late, or never: it is asked for it before it is read, so that a look sees what is shown."""

from pathlib import Path

import pytest

from desktop.linux.changing import Tally, fixture_of, judged

pytestmark = [pytest.mark.desktop, pytest.mark.requires("desktop.reobservation")]

TURNS = 12


@pytest.mark.full("a trial of many turns; test_reobservation has Chromium")
async def test_a_page_that_was_scrolled_right_after_it_changed_is_seen_where_it_is(tmp_path: Path) -> None:
    """Left to itself Chromium tells that half a second later, of every third time never."""
    async with fixture_of("Chromium", tmp_path, Tally("Chromium", 1)) as fixture:
        for seed in range(40):
            await fixture.order("add", seed)
        judgements = 0
        for seed in range(TURNS):
            await fixture.order("rename", seed)
            truth = await fixture.order("scroll", seed)
            await fixture.desktop.settle()
            seen = await fixture.look(fixture.desktop)
            if (await fixture.order("look")).facts == truth.facts:  # else Chromium's bar came, and moved the page
                assert judged(seen, truth) == []
                judgements += 1
        assert judgements >= TURNS - 2
