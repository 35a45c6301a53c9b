// In the page: when was the hand's movement, when did the frame with the new picture go to the screen?
globalThis.bench = (() => {
  const channel = new MessageChannel();
  let root = /** @type {{ el?: any, canvas?: boolean, late?: boolean }} */ ({});
  let waiting = false;
  let moves = [];
  let frames = [];
  /** @type {(() => void) | null} */
  let answer = null;
  let observers = [];

  // A message posted while a frame is made arrives when it has been handed over.
  channel.port1.onmessage = () => {
    waiting = false;
    frames.at(-1).painted = performance.now();
    answer?.();
  };
  const drawn = () => {
    if (waiting) return;
    waiting = true;
    frames.push({ drawn: performance.now() });
    channel.port2.postMessage(0);
  };
  const drawnNextFrame = () => requestAnimationFrame(drawn);

  for (const name of ["fillRect", "clearRect", "putImageData", "drawImage"]) {
    const own = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...values) {
      if (root.canvas && root.el.contains(this.canvas)) drawn();
      return own.apply(this, values);
    };
  }

  const changes = (el, options, seen) => {
    const observer = new MutationObserver((all) => {
      if (all.some(seen)) (root.late ? drawnNextFrame : drawn)();
    });
    observer.observe(el, { subtree: true, childList: true, attributes: true, ...options });
    observers.push(observer);
  };
  const added = (record, selector) =>
    [...record.addedNodes, record.target].some((node) => node.matches?.(selector) || node.querySelector?.(selector));

  // What counts as a new picture of a view.
  const KINDS = {
    canvas: () => {
      root.canvas = true;
    },
    chart: (el) => changes(el, { attributeFilter: ["d"] }, (r) => r.type === "attributes"),
    text: (el) => {
      root.late = true;
      changes(el.querySelector(".widget-html-content"), { characterData: true }, () => true);
    },
    plotly: (el) => {
      root.late = true;
      changes(el, {}, (r) => added(r, ".heatmaplayer image"));
    },
    image: (el) => {
      root.late = true;
      changes(el, { attributes: false }, (r) => {
        for (const node of r.addedNodes)
          for (const img of node.querySelectorAll?.("img") ?? []) img.decode().then(drawnNextFrame);
        return false;
      });
    },
  };

  for (const name of ["keydown", "pointermove", "mousemove", "input"]) {
    window.addEventListener(
      name,
      (event) => {
        if (event.isTrusted && event.timeStamp !== moves.at(-1)) moves.push(event.timeStamp);
      },
      { capture: true },
    );
  }

  return {
    watch(el, kind) {
      observers.forEach((o) => o.disconnect());
      observers = [];
      root = { el };
      KINDS[kind](el);
      this.begin();
    },
    begin() {
      moves = [];
      frames = [];
    },
    // Milliseconds from the first movement to the first picture after it, or null after `limit` ms.
    next(limit) {
      return new Promise((done) => {
        const look = () => {
          const after = frames.find((frame) => frame.painted && frame.drawn >= moves[0]);
          if (after) {
            answer = null;
            clearTimeout(timer);
            done(after.painted - moves[0]);
          }
        };
        const timer = setTimeout(() => {
          answer = null;
          done(null);
        }, limit);
        answer = look;
        look();
      });
    },
    // After a drag: for each movement the time to the next picture; pictures; ms from the first to the last movement.
    drag() {
      const seen = frames.filter((frame) => frame.painted);
      const times = moves
        .map((move) => seen.find((frame) => frame.drawn >= move))
        .map((f, i) => (f ? f.painted - moves[i] : null));
      return { times, pictures: seen.length, moves: moves.length, ms: moves.at(-1) - moves[0] };
    },
  };
})();
