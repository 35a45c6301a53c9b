"""What axe-core finds serious in a part of a page."""

from axe_playwright_python.sync_playwright import Axe


def serious(page, context: str) -> list[str]:
    """Each serious or critical violation: its rule, the element, and what would mend it.

    Looked at when nothing fades in any more: half of a colour is no colour that anybody reads.
    """
    page.wait_for_function("document.getAnimations().every((one) => one.playState !== 'running')")
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary']}"
        for one in Axe().run(page, context=context).response["violations"]
        for node in one["nodes"]
        if node["impact"] in ("serious", "critical")
    ]
