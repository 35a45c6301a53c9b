"""A table is read as it was written."""

import json

from attnlab.trained import tables


def test_what_is_written_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "HERE", tmp_path)
    found = {"versions": tables.versions(), "runs": [0.5, 1.0]}
    tables.write("try", found)
    assert tables.read("try") == found
    assert (tmp_path / "try.json").read_text(encoding="utf-8") == json.dumps(found, indent=1) + "\n"
    assert set(found["versions"]) == {"python", "torch"}
