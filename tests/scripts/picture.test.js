// Picture: places of images and cells at every width, weights that are carried, patches exchanged, paths of glimpses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { added, corner, paths, placed, withoutLast } from "../../widgets/instruments/picture/glimpses.js";
import { around, between, carried, most } from "../../widgets/instruments/picture/grid.js";
import { panelAt, pictureLayout, placeAt, placeBox, pointOf } from "../../widgets/instruments/picture/layout.js";
import { exchanged, isHome, placesOf } from "../../widgets/instruments/picture/patches.js";

const plain = {
  width: 1000,
  ratio: 1,
  panels: 1,
  pixels: [28, 28],
  grid: [7, 7],
  side: 0,
  titled: false,
  named: false,
};
const all = () => true;
const sum = (row) => row.reduce((a, b) => a + b, 0);

test("images stay within the page and apart, at every width, number and size", () => {
  for (let width = 200; width <= 1400; width += 37) {
    for (const panels of [1, 2, 3, 5, 11]) {
      for (const pixels of [
        [28, 28],
        [256, 256],
        [61, 43],
        [7, 700],
        [1000, 3],
      ]) {
        for (const ratio of [1, 1.25, 2]) {
          const g = pictureLayout({ ...plain, width, panels, pixels, ratio, titled: panels > 1 });
          assert.ok(g.width <= width + 1 && g.w > 0 && g.h > 0, `${width} ${panels} ${pixels}: ${g.width}`);
          for (const [p, box] of g.boxes.entries()) {
            assert.ok(box.x >= 0 && box.y >= 0 && box.x + g.w <= g.width && box.y + g.h <= g.height);
            for (const other of g.boxes.slice(p + 1))
              assert.ok(other.x >= box.x + g.w || other.y >= box.y + g.h, `${width} ${panels} ${pixels}`);
          }
        }
      }
    }
  }
});

test("an enlarged image keeps whole dots a pixel, a large one fits", () => {
  for (const ratio of [1, 1.25, 1.5, 2]) {
    const { pixel } = pictureLayout({ ...plain, ratio });
    assert.ok(Math.abs(pixel * ratio - Math.round(pixel * ratio)) < 1e-9 && pixel * 28 <= 320 && pixel * 28 > 280);
  }
  const large = pictureLayout({ ...plain, pixels: [500, 1000] });
  assert.deepEqual([Math.round(large.w), Math.round(large.h)], [320, 160]);
  assert.equal(Math.round(pictureLayout({ ...plain, side: 140 }).w), 140);
});

test("three images stand in one line, on a narrow page two", () => {
  const line = (width) => pictureLayout({ ...plain, width, panels: 3 }).line;
  assert.deepEqual([line(1000), line(390), line(250)], [3, 2, 1]);
});

test("a point is found in the image and the cell where it is drawn", () => {
  const g = pictureLayout({ ...plain, panels: 4, width: 500, titled: true, named: true });
  for (let panel = 0; panel < 4; panel++) {
    for (let place = 0; place < 49; place++) {
      const { x, y, w, h } = placeBox(g, panel, place);
      const at = panelAt(g, x + w / 2, y + h / 2);
      assert.deepEqual([at.panel, placeAt(g, at)], [panel, place]);
    }
    assert.deepEqual(pointOf(g, panel, -1, -1), [g.boxes[panel].x, g.boxes[panel].y]);
    assert.deepEqual(placed(panelAt(g, ...pointOf(g, panel, 0.5, -0.25))), [0.5, -0.25]);
  }
  assert.equal(panelAt(g, 0, 0), null);
  assert.deepEqual([panelAt(g, -9, 9999, 2).across, panelAt(g, -9, 9999, 2).down], [0, 1], "a drag stays in its image");
  assert.equal(placeAt(g, panelAt(g, 9999, 9999, 0)), 48);
  assert.equal(placeAt({ ...g, rows: 0 }, { across: 0, down: 0 }), -1);
});

test("a weight goes where it is carried, and the sum stays", () => {
  const row = [0.1, 0.2, 0.3, 0.4, 0, 0];
  assert.deepEqual(carried(row, [2, 3], [1, 0], [0, 2], 0, all), [0.1, 0.2, 0.7, 0, 0, 0]);
  assert.deepEqual(carried(row, [2, 3], [1, 0], [1, 0], 0, all), row);
  assert.deepEqual(row, [0.1, 0.2, 0.3, 0.4, 0, 0], "what was given is untouched");
});

test("with reach a region goes, stays within the edge, and loses nothing", () => {
  const row = Array.from({ length: 35 }, (_, i) => (i * 7919) % 13);
  for (const reach of [0, 1, 2]) {
    for (const to of [
      [0, 0],
      [4, 6],
      [2, 3],
    ]) {
      const next = carried(row, [5, 7], [1, 2], to, reach, all);
      assert.equal(sum(next), sum(row));
      assert.ok(next.every((x) => x >= 0));
    }
  }
  assert.deepEqual(carried([1, 2, 0, 0, 0, 0, 0, 0, 9], [3, 3], [0, 0], [0, 1], 1, all), [0, 1, 2, 0, 0, 0, 0, 0, 9]);
});

test("what may not be attended to takes nothing", () => {
  assert.deepEqual(
    carried([1, 0, 0], [1, 3], [0, 0], [0, 2], 0, (i) => i !== 2),
    [1, 0, 0],
  );
});

test("cells around one, the way from one to another, the largest number", () => {
  assert.deepEqual(around([0, 0], 1, 3, 2), [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]);
  assert.deepEqual(between(0, 8, 3), [0, 4, 8]);
  assert.deepEqual(between(4, 4, 3), [4, 4]);
  assert.deepEqual(most([NaN, 0.2, 0.5, 0.1]), { best: 2, bad: 1 });
  assert.deepEqual(most([NaN]), { best: -1, bad: 1 });
});

test("exchanging two patches twice leads back; places and patches are each other's inverse", () => {
  const order = [3, 0, 2, 1];
  assert.deepEqual(exchanged(order, 0, 3), [1, 0, 2, 3]);
  assert.deepEqual(exchanged(exchanged(order, 1, 2), 1, 2), order);
  assert.deepEqual(placesOf(order), [1, 3, 2, 0]);
  assert.deepEqual(placesOf(placesOf(order)), order);
  assert.ok(isHome([0, 1, 2]) && !isHome(order));
});

test("each image has its own path; the last place is taken back", () => {
  const glimpses = [
    [0, 0, 1],
    [0.5, 0.5],
    [1, 1, 1],
  ];
  assert.deepEqual(paths(glimpses, 2), [
    [[0.5, 0.5]],
    [
      [0, 0, 1],
      [1, 1, 1],
    ],
  ]);
  assert.deepEqual(added(glimpses, 0, [0, 1], 2).at(-1), [0, 1, 0]);
  assert.deepEqual(added([], 0, [0, 1], 1), [[0, 1]]);
  assert.deepEqual(withoutLast(glimpses, 0), [
    [0, 0, 1],
    [1, 1, 1],
  ]);
  assert.deepEqual(withoutLast(glimpses, -1), [
    [0, 0, 1],
    [0.5, 0.5],
  ]);
  assert.deepEqual(withoutLast([], -1), []);
});

test("a frame holds the pixels that a retina reads: whole ones, from floor(centre - side / 2 + 1/2)", () => {
  assert.deepEqual(corner(1, [30, 30], 8), [26, 26]);
  assert.deepEqual(corner(1, [30.3, 29.6], 8), [26, 26]);
  assert.deepEqual(corner(5, [5 * 30.5, 5 * 30.4], 5 * 8), [5 * 27, 5 * 26]);
  assert.deepEqual(corner(2, [0, 120], 2 * 8), [-8, 112]);
});

test("places are whole hundredths and never leave the image", () => {
  assert.deepEqual(placed({ across: 0.123456, down: 1.7 }), [-0.75, 1]);
});
