"""A hand in the page: what it moves, whatever the explorer."""

from itertools import chain, repeat

TOUCH = """(touches) => {
    const capture = Element.prototype.setPointerCapture;
    Element.prototype.setPointerCapture = () => {}; // knows no finger that a script has made
    const touched = {};
    for (const [what, pointerId, clientX, clientY] of touches) {
        const about = { pointerId, clientX, clientY, pointerType: "touch", bubbles: true, cancelable: true };
        touched[pointerId] ??= document.elementFromPoint(clientX, clientY);
        touched[pointerId].dispatchEvent(new PointerEvent(`pointer${what}`, about));
    }
    Element.prototype.setPointerCapture = capture;
}"""


def fingers(page, *touches):
    """What fingers do on the glass, each [down, move or up, its number, x, y]."""
    page.evaluate(TOUCH, [list(touch) for touch in touches])


def finger(page, *way):
    """A finger that goes down at the first of these places, over the others, a frame for each, and up.

    It is the browser's own touch, which may scroll the page.
    """
    session = page.context.new_cdp_session(page)
    for kind, (x, y) in zip(chain(["touchStart"], repeat("touchMove")), way, strict=False):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        page.evaluate("() => new Promise(requestAnimationFrame)")
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def move(bar):
    """Move the first control of an explorer's bar that can be moved."""
    menu, others = bar.locator("select"), bar.get_by_role("radio", checked=False)
    button = bar.locator(".control.button button")
    steps = bar.locator(".stepper").first.locator("[aria-label^='one ']:not([aria-disabled='true'])")
    if slide_or_switch(bar):
        return
    if menu.count():
        menu.first.select_option(index=1)
    elif others.count():
        others.first.click()
    elif steps.count():
        steps.last.click()  # forward, or at the end back
    elif button.count():
        button.first.click()
    else:
        write(bar)


def move_by_keys(bar):
    """The same with the keyboard alone: Tab leads to it, an arrow or the space bar moves it."""
    menu, forward = bar.locator("select"), bar.get_by_role("button", name="forward")
    chosen = bar.get_by_role("radio", checked=True)
    if slide_or_switch(bar):
        return
    if menu.count():
        menu.first.focus()
        bar.page.keyboard.press("ArrowDown")
    elif chosen.count():
        chosen.first.press("ArrowRight")
    elif forward.count():
        forward.first.press("Enter")
    else:
        write(bar)


def write(bar):
    """One letter more in the first text."""
    bar.get_by_role("textbox").first.press("End")
    bar.page.keyboard.type("e")
    bar.page.keyboard.press("Enter")


def slide_or_switch(bar) -> bool:
    """Move the first slider by an arrow, or else the first switch by the space bar; whether there is one."""
    slider, switch = bar.locator("input[type=range]:enabled"), bar.get_by_role("switch")
    if slider.count():
        at_the_end = slider.first.evaluate("(el) => el.valueAsNumber >= Number(el.max)")
        slider.first.press("ArrowLeft" if at_the_end else "ArrowRight")
        return True
    if switch.count():
        switch.first.press("Space")
        return True
    return False
