// Knows while a button is being pressed.

// A tap becomes a click a moment after the finger is gone.
const TAP = 60;

/**
 * A press begins with a button that goes down and ends when it comes up; browsers make no click of it
 * if the button was replaced in between.
 */
export class Pressing {
  /** @type {"" | "pointer" | "key"} */ #down = "";
  #timer = 0;
  /** @type {(() => void)[]} */ #waiting = [];

  /** @param {HTMLElement} place @param {AbortSignal} signal */
  constructor(place, signal) {
    const options = { signal, capture: true, passive: true };
    place.addEventListener("pointerdown", (event) => this.#begin("pointer", event), options);
    place.addEventListener("keydown", (event) => event.key === " " && this.#begin("key", event), options);
    window.addEventListener("keyup", () => this.#end("key"), options);
    for (const type of ["pointerup", "pointercancel", "contextmenu"]) {
      window.addEventListener(type, () => this.#end("pointer"), options);
    }
    // It went up outside of the window.
    window.addEventListener("pointermove", ({ buttons }) => buttons || this.#end("pointer"), options);
    window.addEventListener("blur", ({ target }) => target === window && this.#end(this.#down), options);
  }

  /** Resolves when no button is being pressed. */
  async over() {
    while (this.#down) await new Promise((done) => this.#waiting.push(() => done(null)));
  }

  /** @param {"pointer" | "key"} by @param {Event} event */
  #begin(by, { target }) {
    if (!(target instanceof Element && target.closest("button"))) return;
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#down = by;
  }

  /** @param {"" | "pointer" | "key"} by */
  #end(by) {
    if (this.#down !== by || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.#down = "";
      for (const done of this.#waiting.splice(0)) done();
    }, TAP);
  }
}
