// The frame: connection status, number of waiting requests, forms being sent, notifications.
import { news, wire } from "./live.js";

const PATIENCE = 2500;
const STUCK = 10_000;
const WANTED = "assent notifications";

/** Says when the page is no longer live, and why. */
class LiveMark extends HTMLElement {
  #timer = 0;

  connectedCallback() {
    document.addEventListener("assent:live", (event) => {
      const { connected } = /** @type {CustomEvent<{connected: boolean}>} */ (event).detail;
      clearTimeout(this.#timer);
      if (connected) this.textContent = "";
      else this.#timer = setTimeout(() => (this.textContent = "Not live: reconnecting"), PATIENCE);
    });
    document.addEventListener("assent:over", () => {
      clearTimeout(this.#timer);
      const link = Object.assign(document.createElement("a"), { href: "", textContent: "reload" });
      this.replaceChildren("Signed out: ", link);
    });
  }
}

/** A button for browser notifications of new requests while no page is visible. */
class NotifyMe extends HTMLElement {
  #button = Object.assign(document.createElement("button"), { type: "button" });
  #words = Object.assign(document.createElement("p"), { role: "status", className: "help" });

  connectedCallback() {
    this.replaceChildren(this.#button, this.#words);
    this.#button.addEventListener("click", () => void this.#turn(!isWanted()));
    this.#show();
    // The permission may change in the browser's settings while the page is open.
    addEventListener("focus", () => this.#show());
  }

  #show() {
    const refused = canNotify && Notification.permission === "denied";
    this.#button.disabled = refused || !canNotify;
    this.#button.textContent = isWanted() ? "Turn notifications off" : "Turn notifications on";
    this.#words.textContent = !canNotify
      ? "This browser cannot show notifications here. They need HTTPS, and do not work in a private window; on an iPhone or iPad, add this page to the home screen and open it from there."
      : refused
      ? "This browser blocks notifications of this site. Allow them in the browser's settings, then come back here."
      : "New requests are announced while a page of Assent is open in the background. A notification names only the tool and the agent. Phones may suspend such a page.";
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
      this.#words.textContent = "This browser did not show a notification. Check the notification settings of this device.";
    });
  }
}

// On phones only a service worker may show a notification, so it does everywhere.
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

// Visible tabs share one lock; while it is held, no notification is needed.
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

/** Close the notification of a request that was decided. @param {string} id */
async function withdraw(id) {
  for (const each of await (await registration()).getNotifications({ tag: id })) each.close();
}

news(["pending", "decided"], ({ event, request_id }) => {
  if (!request_id || !wire?.leads || !isWanted()) return;
  // A lost connection or a refusing device is not an error of the page: the inbox has the request.
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

// A form that was sent is busy until the next page loads: pressing again sends nothing twice.
document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  const isPost = form instanceof HTMLFormElement && form.getAttribute("method") === "post";
  if (!isPost || event.defaultPrevented) return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  submitter?.setAttribute("aria-busy", "true");
  setTimeout(release, STUCK, form);
});

// The page was restored from the back/forward cache: forms can be sent again. One that is shown for
// the first time says so only when its last picture is there, and a form may be on its way by then.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  for (const form of document.querySelectorAll("form")) release(form);
});

// A tap outside the sheet of further sections closes it.
document.addEventListener("click", ({ target }) => {
  const sheet = document.querySelector(".more-sections[open]");
  if (sheet && !sheet.contains(/** @type {Node} */ (target))) sheet.removeAttribute("open");
});

customElements.define("live-mark", LiveMark);
customElements.define("notify-me", NotifyMe);
