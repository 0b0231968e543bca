// The frame: whether it is live, how much waits, what is being sent, and notifications.
import { news, wire } from "./live.js";

const PATIENCE = 2500;
const STUCK = 10_000;
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

/** A button that has the browser tell of new requests while no page of ours is in sight. */
class NotifyMe extends HTMLElement {
  #button = Object.assign(document.createElement("button"), { type: "button" });
  #words = Object.assign(document.createElement("p"), { role: "status", className: "help" });

  connectedCallback() {
    this.replaceChildren(this.#button, this.#words);
    this.#button.addEventListener("click", () => void this.#turn(!isWanted()));
    this.#show();
    // Somebody may change it in the browser's settings, and come back.
    addEventListener("focus", () => this.#show());
  }

  #show() {
    const refused = canNotify && Notification.permission === "denied";
    this.#button.disabled = refused || !canNotify;
    this.#button.textContent = isWanted() ? "Turn notifications off" : "Turn notifications on";
    this.#words.textContent = !canNotify
      ? "This browser has no notifications here. They need HTTPS and no private window; on an iPhone or iPad, add this page to the home screen and open it from there."
      : refused
      ? "This browser blocks notifications of this site. Allow them in its settings for this site, then come back here."
      : "New requests for you are announced by their tool and agent only, while a page of Assent is open but out of sight. A phone may put such a page to sleep.";
  }

  /** @param {boolean} on */
  async #turn(on) {
    const granted = on && (await Notification.requestPermission()) === "granted";
    if (granted) localStorage.setItem(WANTED, "yes");
    else localStorage.removeItem(WANTED);
    this.#show();
    if (!granted) await (await navigator.serviceWorker.getRegistration("/"))?.unregister();
    const body = "A new request for you will look like this.";
    if (granted) await notify("Notifications are on", { body, tag: WANTED }).catch(() => {
      this.#words.textContent = "This browser did not show one. Look whether this device lets it.";
    });
  }
}

// On phones only a service worker may show one, so it does everywhere.
const canNotify = "Notification" in window && "serviceWorker" in navigator;
const isWanted = () =>
  canNotify && Notification.permission === "granted" && localStorage.getItem(WANTED) === "yes";

async function registration() {
  await navigator.serviceWorker.register("/sw.js");
  return navigator.serviceWorker.ready;
}

/** @param {string} title @param {NotificationOptions} options */
async function notify(title, options) {
  await (await registration()).showNotification(title, options);
}

// Every tab in sight holds one lock, together with the others: then nobody has to be called.
const SIGHT = "assent in sight";
let leave = () => {};

function stay() {
  leave();
  const held = () => document.hidden || new Promise((done) => (leave = () => done(true)));
  if (!document.hidden) void navigator.locks?.request(SIGHT, { mode: "shared" }, held);
}

async function isInSight() {
  if (!navigator.locks) return !document.hidden;
  return (await navigator.locks.query()).held?.some(({ name }) => name === SIGHT) ?? false;
}

document.addEventListener("visibilitychange", stay);
stay();

/** @param {string} id */
async function announce(id) {
  if (await isInSight()) return;
  const answer = await fetch(`/api/requests/${encodeURIComponent(id)}`);
  const request = answer.ok ? await answer.json() : null;
  if (!request?.may_decide) return;
  const data = { path: `/requests/${encodeURIComponent(id)}` };
  await notify(`${request.tool} waits for you`, { body: `Asked for by ${request.agent}`, tag: id, data });
}

/** What is decided is no news any more. @param {string} id */
async function withdraw(id) {
  for (const each of await (await registration()).getNotifications({ tag: id })) each.close();
}

news(["pending", "decided"], ({ event, request_id }) => {
  if (!request_id || !wire?.leads || !isWanted()) return;
  // A line that breaks or a device that refuses is no error of the page: the inbox has it.
  (event === "pending" ? announce : withdraw)(request_id).catch(() => {});
});

document.getElementById("waiting")?.addEventListener("changed", (event) => {
  const count = /** @type {Element} */ (event.target).querySelector("[data-count]");
  const number = count ? `(${count.getAttribute("data-count")}) ` : "";
  document.title = number + document.title.replace(/^\(\d+\+?\) /, "");
});

/** @param {HTMLFormElement} form */
function release(form) {
  delete form.dataset.sent;
  form.querySelector("button[aria-busy]")?.removeAttribute("aria-busy");
}

// A form that was sent is busy until the next page comes: pressing again sends nothing twice.
document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  const isPost = form instanceof HTMLFormElement && form.getAttribute("method") === "post";
  if (!isPost || event.defaultPrevented) return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  submitter?.setAttribute("aria-busy", "true");
  setTimeout(release, STUCK, form);
});

// Back again, and the page is as it was left.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form")) release(form);
});

// A tap beside the sheet of further sections closes it.
document.addEventListener("click", ({ target }) => {
  const sheet = document.querySelector(".more-sections[open]");
  if (sheet && !sheet.contains(/** @type {Node} */ (target))) sheet.removeAttribute("open");
});

customElements.define("live-mark", LiveMark);
customElements.define("notify-me", NotifyMe);
