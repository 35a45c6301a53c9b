"""Loops for the models that look at pictures; files are named as in `attnlab.vision`."""
