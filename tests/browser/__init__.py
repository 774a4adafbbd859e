"""Tests in a real browser. They are made of `lab.py`; its assertions are to say what they saw."""

import pytest

pytest.register_assert_rewrite(f"{__name__}.lab")
