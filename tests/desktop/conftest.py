"""Desktop tests share assertions with their suite; failures there are explained like those of a test module."""

import pytest

pytest.register_assert_rewrite("desktop.conformance")
