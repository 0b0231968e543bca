// The page of a request: it can be approved only once it was read, and while it is open.
import "./answer_form.js";
import { Editing } from "./editing.js";

const READ = ".region-arguments, .region-details, .region-preview, .region-edits";
const SLACK = 6;

/** Create a paragraph. @param {string} className @param {...(string | Node)} children */
function paragraph(className, ...children) {
  const made = document.createElement("p");
  made.className = className;
  made.setAttribute("role", "status");
  made.append(...children);
  return made;
}

/** Watches one request: whether it was read, whether it can still be decided. */
class ReviewGuard extends HTMLElement {
  /** @type {Set<Element>} */ #unread = new Set();
  /** @type {WeakSet<Element>} */ #begun = new WeakSet();
  #held = true;
  #isNew = true;
  /** @type {HTMLButtonElement | null} */ #pressed = null;
  /** @type {HTMLElement | null} */ #late = null;
  #leave = new AbortController();

  connectedCallback() {
    this.#leave = new AbortController();
    const { signal } = this.#leave;
    this.addEventListener("changed", () => this.#look(), { signal });
    this.addEventListener("changed", () => this.#stand(), { signal });
    this.addEventListener("expired", () => this.#expire(), { signal });
    const editing = new Editing(this, signal);
    this.addEventListener("submit", (event) => editing.submitted(event), { signal });
    this.addEventListener("click", (event) => this.#reason(event), { signal });
    // Captured, because scroll events of inner texts do not bubble.
    const look = () => this.#look();
    document.addEventListener("scroll", look, { signal, capture: true, passive: true });
    window.addEventListener("resize", look, { signal });
    for (const each of this.querySelectorAll(READ)) {
      for (const part of [each, ...each.querySelectorAll(".block, .diff")]) {
        if (!part.closest("details")) this.#unread.add(part);
      }
    }
    this.addEventListener("click", (event) => this.#keep(event), { signal, capture: true });
    // After painting: before it, a page that opens further down seems to be at its top.
    requestAnimationFrame(() => requestAnimationFrame(() => {
      this.#isNew = false;
      this.#remember();
      look();
      this.#pressed?.click();
      this.#pressed = null;
    }));
    this.#stand();
  }

  disconnectedCallback() {
    this.#leave.abort();
  }

  /** @returns {NodeListOf<HTMLButtonElement>} */
  get #guarded() {
    return this.querySelectorAll("button[data-guarded]");
  }

  /** A press before the first look waits: a disabled button would swallow it. @param {Event} event */
  #keep(event) {
    const { target } = event;
    if (!this.#isNew || !(target instanceof HTMLButtonElement && target.matches("[data-guarded]"))) return;
    event.preventDefault();
    this.#pressed = target;
  }

  /** Count what was in sight before this script ran: on a slow line that may be all of it. */
  #remember() {
    const sights = document.documentElement.dataset.sights?.split(" ").map(Number) ?? [];
    for (const from of sights) {
      for (const each of this.#unread) if (this.#isSeen(each, scrollY - from)) this.#unread.delete(each);
    }
  }

  #look() {
    if (!this.#held || this.#isNew) return;
    for (const each of this.#unread) if (this.#isSeen(each)) this.#unread.delete(each);
    this.#hold(this.#unread.size > 0);
  }

  // Whether its beginning was on the screen, and its end is, to the right as well as below: a page
  // may open further down, and a line may go on beyond the edge.
  /** @param {Element} element @param {number} [above] how much further up the page was */
  #isSeen(element, above = 0) {
    const here = element.getBoundingClientRect();
    const box = new DOMRect(here.x, here.y + above, here.width, here.height);
    const end = this.#horizon(box, above) + SLACK;
    if (box.top >= -SLACK && box.top < end) this.#begun.add(element);
    const { scrollTop, clientHeight, scrollHeight, scrollLeft, clientWidth, scrollWidth } = element;
    const isDown = scrollTop + clientHeight >= scrollHeight - SLACK && box.bottom <= end;
    const isAcross = scrollLeft + clientWidth >= scrollWidth - SLACK && box.right <= innerWidth + SLACK;
    return this.#begun.has(element) && isDown && isAcross;
  }

  /** The lower edge of the readable screen: a bar may cover it. @param {DOMRect} box @param {number} above */
  #horizon(box, above) {
    const bar = this.querySelector(".decision");
    const edge = bar?.getBoundingClientRect();
    if (!bar || !edge) return innerHeight;
    const stays = ["sticky", "fixed"].includes(getComputedStyle(bar).position);
    const top = stays ? edge.top : edge.top + above;
    const covers = edge.left < box.right && edge.right > box.left && top > box.top;
    return covers ? Math.min(innerHeight, top) : innerHeight;
  }

  /** @param {boolean} held */
  #hold(held) {
    this.#held = held;
    for (const button of this.#guarded) button.disabled = held;
    /** @type {HTMLElement | null} */ const note = this.querySelector(".unread");
    if (note && held && note.hidden) note.replaceChildren("Read all of it, or: ", this.#box());
    if (note) note.hidden = !held;
  }

  #box() {
    const box = Object.assign(document.createElement("input"), { type: "checkbox" });
    const label = document.createElement("label");
    label.append(box, "I have read it all");
    box.addEventListener("change", () => {
      this.#unread.clear();
      this.#look();
      // The box is gone: move the focus before the buttons, never onto one of them.
      /** @type {HTMLElement | null} */
      const title = this.querySelector(".decision :is(h2, h3)") ?? document.querySelector("h1");
      title?.setAttribute("tabindex", "-1");
      title?.focus({ preventScroll: true });
    });
    return label;
  }

  /** Close the form of a request that is over; what was typed stays readable. */
  #stand() {
    if (!this.querySelector("[data-over]")) return;
    this.#late?.remove();
    this.#close();
  }

  #expire() {
    if (this.querySelector("[data-over]") || this.#late) return;
    this.#late = paragraph("notice warn", "Its deadline has passed: it can no longer be decided.");
    this.querySelector(".matter, .panel > .body")?.prepend(this.#late);
    this.#close();
  }

  #close() {
    for (const each of this.querySelectorAll(".decision, #edit, #answer, #supply")) {
      each.setAttribute("inert", "");
    }
    this.classList.add("is-over");
  }

  /** Focus the reason when its form is opened. @param {Event} event */
  #reason({ target }) {
    const opened = target instanceof Element && target.closest("details.verdict > summary")?.parentElement;
    if (!opened || opened.hasAttribute("open")) return;
    requestAnimationFrame(() => opened.querySelector("textarea")?.focus());
  }
}

customElements.define("review-guard", ReviewGuard);
