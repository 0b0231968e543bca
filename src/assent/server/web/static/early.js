// The first moment of a page: what is pressed in it, and what was in sight. A plain script in the
// head, so that it runs before there is anything to press: modules run only when the page is complete,
// and come over the network.
(() => {
  const PATIENCE = 5000;
  const GLANCE = 200;
  const MOST = 100;
  /** @type {[HTMLFormElement, HTMLElement | null][]} */ let pressed = [];

  /** A form that is sent before the modules have run waits for them, and may not be complete. @param {SubmitEvent} event */
  function hold(event) {
    const { target: form, submitter } = event;
    if (!(form instanceof HTMLFormElement) || form.method === "dialog") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    submitter?.setAttribute("aria-busy", "true");
    pressed.push([form, submitter]);
  }

  function release() {
    document.removeEventListener("submit", hold, true);
    const held = pressed;
    pressed = [];
    for (const [, button] of held) button?.removeAttribute("aria-busy");
    for (const [form, button] of held) {
      // By a click: a page may hold its button back until all of it was read.
      if (button?.isConnected) button.click();
      else form.requestSubmit();
    }
  }

  /** In the field for a message Enter sends. @param {KeyboardEvent} event */
  function enter(event) {
    const { target: field } = event;
    if (!(field instanceof HTMLTextAreaElement) || field.form?.id !== "composer") return;
    const isSending = event.key === "Enter" && !event.shiftKey && !event.isComposing;
    // On a phone there is no other key for a new line.
    if (!isSending || matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    const files = field.form.querySelector("input[name=file]:checked");
    if (files || field.value.trim()) field.form.requestSubmit();
  }

  /** @type {number[]} */ const sights = [];

  /** Keep how far down the page was, for those who ask what was read before they came. */
  function see() {
    if (sights.length < MOST) sights.push(scrollY);
    document.documentElement.dataset.sights = sights.join(" ");
  }

  /** Only a page that is complete and at rest: one that opens further down may flash its top. */
  function rest() {
    const from = scrollY;
    setTimeout(() => {
      if (scrollY !== from) return;
      see();
      addEventListener("scroll", see, { passive: true });
    }, GLANCE);
  }

  document.addEventListener("readystatechange", () => requestAnimationFrame(rest), { once: true });
  document.addEventListener("keydown", enter);
  document.addEventListener("submit", hold, true);
  // This event waits for the modules, also for one that cannot be loaded; then the form is a plain one.
  document.addEventListener("DOMContentLoaded", release, { once: true });
  document.addEventListener("readystatechange", () => setTimeout(release, PATIENCE), { once: true });
})();
