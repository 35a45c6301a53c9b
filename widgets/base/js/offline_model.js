// The model of a view in a page without a kernel: what anywidget would give it, and in the kernel's place its `host`.

export class Model {
  id;
  state;
  host;
  listeners;
  dirty;
  shared;

  constructor(id, state, host) {
    Object.assign(this, { id, model_id: id, state, host, listeners: [], dirty: {} });
    this.widget_manager = host;
    this.comm = { on_msg() {} };
  }

  get(name) {
    return this.state[name];
  }

  // What a view sets; `save_changes` tells it.
  set(name, value) {
    const all = typeof name === "string" ? { [name]: value } : name;
    Object.assign(this.dirty, all);
    this.set_state(all);
    return this;
  }

  // What the kernel would have told.
  set_state(all) {
    const changed = Object.keys(all).filter((name) => this.state[name] !== all[name]);
    Object.assign(this.state, all);
    for (const name of changed) this.trigger(`change:${name}`);
    if (changed.length) this.trigger("change");
  }

  save_changes() {
    const changed = this.dirty;
    this.dirty = {};
    if (Object.keys(changed).length) this.host.changed(this, changed);
  }

  send(message, callbacks) {
    if (message.kind === "hand") this.save_changes();
    else this.host.told(this, message);
    callbacks?.iopub.status({ content: { execution_state: "idle" } });
  }

  on(names, hear) {
    for (const name of names.split(" ")) this.listeners.push({ name, hear });
  }

  off(name, hear) {
    this.listeners = this.listeners.filter((one) => one.name !== name || (hear && one.hear !== hear));
  }

  trigger(name, ...values) {
    for (const one of this.listeners.slice()) if (one.name === name) one.hear(...values);
  }
}
