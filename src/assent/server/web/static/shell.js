// The frame: whether it is live, how much waits, and notifications.
import { news, wire } from "./live.js";

const PATIENCE = 2500;
const WANTED = "assent notifications";

/** Says when the page no longer follows what happens, and why. */
class LiveMark extends HTMLElement {
  #timer = 0;

  connectedCallback() {
    document.addEventListener("assent:live", (event) => {
      const { connected } = /** @type {CustomEvent<{connected: boolean}>} */ (event).detail;
      clearTimeout(this.#timer);
      if (connected) this.textContent = "";
      else this.#timer = setTimeout(() => (this.textContent = "Not live: trying again"), PATIENCE);
    });
    document.addEventListener("assent:over", () => {
      clearTimeout(this.#timer);
      const link = Object.assign(document.createElement("a"), { href: "", textContent: "reload" });
      this.replaceChildren("Signed out: ", link);
    });
  }
}

/** A button that has the browser tell of new requests while the page is hidden. */
class NotifyMe extends HTMLElement {
  connectedCallback() {
    const button = Object.assign(document.createElement("button"), { type: "button" });
    const words = Object.assign(document.createElement("p"), { role: "status", className: "help" });
    button.addEventListener("click", () => void this.#turn(!isWanted()).then(show));
    const show = () => {
      const refused = window.Notification?.permission === "denied";
      button.disabled = refused || !window.Notification;
      button.textContent = isWanted() ? "Turn notifications off" : "Turn notifications on";
      words.textContent = !window.Notification
        ? "This browser has no notifications."
        : refused
        ? "This browser refuses notifications of this site; its settings can change that."
        : "A new request for you is announced while this page is in the background, by its tool and agent only.";
    };
    this.replaceChildren(button, words);
    show();
  }

  /** @param {boolean} on */
  async #turn(on) {
    const granted = on && (await Notification.requestPermission()) === "granted";
    if (granted) localStorage.setItem(WANTED, "yes");
    else localStorage.removeItem(WANTED);
  }
}

const isWanted = () =>
  window.Notification?.permission === "granted" && localStorage.getItem(WANTED) === "yes";

/**
 * Phones have the word but not the thing: there only a service worker may show one.
 * @param {string} title
 * @param {NotificationOptions} options
 */
function shown(title, options) {
  try {
    return new Notification(title, options);
  } catch {
    return null;
  }
}

/** @param {string} id */
async function announce(id) {
  const answer = await fetch(`/api/requests/${encodeURIComponent(id)}`);
  const request = answer.ok ? await answer.json() : null;
  if (!request?.may_decide) return;
  const body = `Asked for by ${request.agent}`;
  const notification = shown(`${request.tool} waits for you`, { body, tag: id });
  if (notification) notification.onclick = () => {
    window.focus();
    location.assign(`/requests/${encodeURIComponent(id)}`);
  };
}

news(["pending"], ({ request_id }) => {
  if (request_id && wire?.leads && document.hidden && isWanted()) void announce(request_id);
});

document.getElementById("waiting")?.addEventListener("changed", (event) => {
  const count = /** @type {Element} */ (event.target).querySelector("[data-count]");
  const number = count ? `(${count.getAttribute("data-count")}) ` : "";
  document.title = number + document.title.replace(/^\(\d+\+?\) /, "");
});

// A tap beside the sheet of further sections closes it.
document.addEventListener("click", ({ target }) => {
  const sheet = document.querySelector(".more-sections[open]");
  if (sheet && !sheet.contains(/** @type {Node} */ (target))) sheet.removeAttribute("open");
});

customElements.define("live-mark", LiveMark);
customElements.define("notify-me", NotifyMe);
