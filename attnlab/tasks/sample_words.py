"""Ten words whose queries and keys were written by hand, so that one can say why a word reads another."""

SAMPLE_WORDS = {
    "the": ((0.6, 0.2), (0.1, -0.4)),
    "cat": ((0.4, 2.0), (2.0, -0.3)),
    "bird": ((0.3, 2.4), (1.8, -0.1)),
    "fish": ((0.7, 1.6), (2.2, 0.9)),
    "sat": ((2.0, 0.3), (-0.4, 1.9)),
    "saw": ((2.3, -0.2), (-0.2, 2.1)),
    "eat": ((1.7, 0.1), (-0.5, 1.6)),
    "on": ((1.0, 0.9), (0.3, 0.8)),
    "mat": ((0.2, 1.5), (1.6, 0.5)),
    "small": ((1.8, -0.4), (0.4, -0.6)),
}
"""Word -> what its query asks for, and what its key offers, each as amounts of [thing, doing]: a noun asks for what is
done, a verb for who does it."""
