"""What axe-core finds serious in a part of a page."""

from axe_playwright_python.sync_playwright import Axe


def serious(page, context: str) -> list[str]:
    """Each serious or critical violation: its rule, the element, and what would mend it.

    Looked at with reduced motion, where nothing fades in: half of a colour is no colour that anybody reads.
    """
    page.emulate_media(reduced_motion="reduce")
    found = Axe().run(page, context=context).response["violations"]
    page.emulate_media(reduced_motion="null")
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary']}"
        for one in found
        for node in one["nodes"]
        if node["impact"] in ("serious", "critical")
    ]
