"""One file for each model; `layers.py` holds the parts they share."""
