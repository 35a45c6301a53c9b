"""The graph of a model, from which a page draws it as a machine."""
