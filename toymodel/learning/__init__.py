"""Gradients, and the steps that learn from them."""
