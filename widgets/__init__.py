"""The instruments: what attnlab computes, made visible."""
