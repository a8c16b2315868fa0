"""Opening a desktop of this machine."""

import pytest

from deskhand.core.errors import UsageError
from deskhand.desktop.backends import open_desktop


@pytest.mark.requires("python.sync")
def test_another_event_loop_than_that_of_asyncio_is_refused_with_the_way_to_do_it() -> None:
    with pytest.raises(UsageError, match="asyncio") as caught:
        open_desktop("work").__aenter__().__await__().send(None)
    assert "deskhand.sync" in caught.value.fix
