"""Loops for what is measured in models; files are named as in `attnlab.analysis`."""
