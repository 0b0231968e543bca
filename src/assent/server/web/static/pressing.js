// Knows while a button is being pressed.

// A tap becomes a click a moment after the finger is gone.
const TAP = 60;

/**
 * A press begins with a button that goes down and ends when it comes up; browsers make no click of it
 * if the button was replaced in between.
 */
export class Pressing {
  #isDown = false;
  #timer = 0;
  /** @type {(() => void)[]} */ #waiting = [];

  /** @param {HTMLElement} place @param {AbortSignal} signal */
  constructor(place, signal) {
    const options = { signal, capture: true, passive: true };
    place.addEventListener("pointerdown", (event) => this.#begin(event), options);
    place.addEventListener("keydown", (event) => event.key === " " && this.#begin(event), options);
    for (const type of ["pointerup", "pointercancel", "keyup", "contextmenu"]) {
      window.addEventListener(type, () => this.#end(), options);
    }
    // It went up outside of the window.
    window.addEventListener("pointermove", ({ buttons }) => buttons || this.#end(), options);
    window.addEventListener("blur", ({ target }) => target === window && this.#end(), options);
  }

  /** Resolves when no button is being pressed. */
  async over() {
    while (this.#isDown) await new Promise((done) => this.#waiting.push(() => done(null)));
  }

  /** @param {Event} event */
  #begin({ target }) {
    if (!(target instanceof Element && target.closest("button"))) return;
    clearTimeout(this.#timer);
    this.#isDown = true;
  }

  #end() {
    if (!this.#isDown) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isDown = false;
      for (const done of this.#waiting.splice(0)) done();
    }, TAP);
  }
}
