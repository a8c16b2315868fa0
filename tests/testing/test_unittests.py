"""Test cases of unittest on a private desktop."""

import io
import re
import unittest
from pathlib import Path

import pytest

from deskhand.testing import DesktopTestCase, expect

pytestmark = pytest.mark.desktop


@pytest.mark.requires("unittest.case")
def test_a_test_that_fails_names_its_files_and_the_next_one_finds_an_empty_desktop(tmp_path: Path) -> None:
    found: list[int] = []

    class Case(DesktopTestCase):
        failures = tmp_path
        timeout_s = 1.0

        def test_1_fails(self) -> None:
            window = self.launch("mousepad")
            window.textbox().type("Dear Ada,")
            expect(window.textbox()).to_have_value("Dear Bob,")

        def test_2_skips(self) -> None:
            self.skipTest("not today")

        def test_3_passes(self) -> None:
            found.append(len(self.desktop.windows()))

    result = unittest.TextTestRunner(io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(Case))
    assert (result.testsRun, len(result.errors), len(result.skipped), found) == (3, 0, 1, [0])
    ((_, shown),) = result.failures
    report = re.search(r"^report of all actions: (.*)$", shown, re.MULTILINE)
    assert report
    folder = Path(report[1]).parent
    assert "Dear Bob," in Path(report[1]).read_text()
    assert re.findall(r'File "(.*)"', shown) == [__file__], "the frames of the test alone"
    assert any("Dear Ada," in controls.read_text() for controls in folder.glob("controls_*.txt"))
    assert [folder] == list(tmp_path.iterdir())
