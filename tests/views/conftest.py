"""Assertions that several files share say what they compared, as those of a test do."""

import pytest

pytest.register_assert_rewrite("path_expected")
