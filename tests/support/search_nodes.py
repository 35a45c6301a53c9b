"""Nodes of a beam search, as BeamTree takes them."""


def node(id, parent, step, token, log_probability, status="kept", score=None):
    score = log_probability / step if score is None else score
    return {
        "id": id,
        "parent": parent,
        "step": step,
        "token": token,
        "log_probability": log_probability,
        "score": score,
        "status": status,
    }


# "la" is greedy's first word; the beam of width 2 finds that "el espacio" is more probable as a whole.
NODES = [
    node(0, -1, 1, "la", -0.6),
    node(1, -1, 1, "el", -0.9),
    node(2, 1, 2, "espacio", -1.0),
    node(3, 0, 2, "zona", -1.7),
    node(4, 0, 2, "casa", -1.9, "dropped"),
    node(5, 2, 3, "<EOS>", -1.1, "finished"),
    node(6, 3, 3, "<EOS>", -1.8, "dropped"),
    node(7, 2, 3, "europeo", -3.0, "dropped"),
]
