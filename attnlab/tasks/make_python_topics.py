"""Makes `python_topics.txt` out of the language reference: `python -m attnlab.tasks.make_python_topics`, Python 3.11.7.

Kept are whole sentences of six words or more, each once, without programs, tables and rules of grammar. The topics that
serve as labels come first, so that sentences which stand in several topics are theirs.
"""

import re

from attnlab.tasks.python_topics import FILE, TOPICS
from attnlab.tasks.text import paragraphs

NO_PROSE = ("::=", ">>>", "|", "===", "---", "***", "^^^")


def main() -> None:
    from pydoc_data.topics import topics

    labelled = list(TOPICS.values())
    seen: set[str] = set()
    with FILE.open("w", encoding="utf-8") as file:
        for name in [*labelled, *sorted(set(topics) - set(labelled))]:
            new = [p for p in map(" ".join, map(str.split, paragraphs(topics[name]))) if p not in seen]
            seen.update(new)
            if found := [sentence for paragraph in new if prose(paragraph) for sentence in sentences(paragraph)]:
                file.write("\n".join([f"# {name}", *found, ""]))


def prose(paragraph: str) -> bool:
    return not any(sign in paragraph for sign in NO_PROSE)


def sentences(paragraph: str) -> list[str]:
    parts = re.split(r'(?<=[.:;!?])\s+(?=[A-Z"*(])', paragraph)
    return [part for part in parts if len(re.findall(r"\w+", part)) >= 6 and re.search(r'[.:?;!]"?\)?$', part)]


if __name__ == "__main__":
    main()
