// The parts of an explorer: their models, and pictures of them as they come from the kernel.

export class Parts {
  constructor(model) {
    this.manager = model.widget_manager;
    this.models = new Map(); // id -> model
  }

  get(id) {
    return this.models.get(id);
  }

  // All of them at hand; false where one was closed: its explorer is gone.
  async find(ids) {
    try {
      for (const id of ids) if (!this.models.has(id)) this.models.set(id, await this.manager.get_model(id));
      return true;
    } catch {
      return false;
    }
  }
}

// Show a picture over the kernel's state, until its answer to the movement `sequence` is there.
export function play(parts, picture, sequence) {
  for (const [part, state] of Object.entries(picture))
    parts.get(part)?.trigger("msg:custom", { kind: "frame", sequence, state });
}

// [index, { part: { trait: value } }] for each frame of a message, whose `table` holds each value once and whose buffer
// holds the bytes of all.
export function pictures({ table, frames }, [buffer]) {
  const values = (table ?? []).map((wire) => unpack(wire, buffer));
  const filled = (traits) => Object.fromEntries(Object.entries(traits).map(([trait, at]) => [trait, values[at]]));
  const picture = (parts) => Object.fromEntries(Object.entries(parts).map(([part, traits]) => [part, filled(traits)]));
  return (frames ?? []).map(([index, parts]) => [index, picture(parts)]);
}

// In the table bytes stand as { bytes: [start, stop] } into the buffer.
export function unpack(wire, buffer) {
  if (Array.isArray(wire)) return wire.map((x) => unpack(x, buffer));
  if (!wire || typeof wire !== "object") return wire;
  if (Array.isArray(wire.bytes)) {
    const [start, stop] = wire.bytes;
    return new DataView(buffer.buffer ?? buffer, (buffer.byteOffset ?? 0) + start, stop - start);
  }
  return Object.fromEntries(Object.entries(wire).map(([name, x]) => [name, unpack(x, buffer)]));
}
