// Where the stream runs, in each zoom the same: pixels from the top, and the height of the picture.
export const FRAME = { top: 212, tall: 132, height: 486 };
export const MIDDLE = FRAME.top + FRAME.tall / 2;
