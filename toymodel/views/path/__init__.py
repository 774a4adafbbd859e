"""The whole path in one picture."""
