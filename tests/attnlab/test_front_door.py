import attnlab


def test_the_map_names_what_is_there():
    for name in attnlab.__all__:
        assert getattr(attnlab, name) is not None
