"""Caption: what stands under a picture. One sentence, an error where there is one, the code folded."""

from traitlets import Bool, List, Unicode

from widgets.base.instrument import Instrument
from widgets.base.words import plain


class Caption(Instrument):
    """`sentence` is a list of runs (see words.py), `code` a few lines of attnlab, `error` the banner's text or ""."""

    bundle = "caption"
    sentence = List(help="runs [text, role]: one sentence saying what is seen now").tag(sync=True)
    code = Unicode(help="the code that gives this very picture").tag(sync=True)
    whose = Unicode("", help="said before the sentence where two stand side by side: left, right").tag(sync=True)
    shares = Bool(False, help="whether this moment can be copied, and another one opened").tag(sync=True)
    error = Unicode(help="why there is no picture for this state; empty where there is one").tag(sync=True)

    def __repr__(self) -> str:
        return self.error or plain(self.sentence)
