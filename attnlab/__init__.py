"""The mechanisms of attention, in torch, each in its clearest form."""
