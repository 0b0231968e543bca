// Opens the request when its notification is pressed, even after the page was closed.

/**
 * The parts of a service worker that are used here.
 * @typedef {{url: string, focus(): Promise<unknown>}} Tab
 * @typedef {Event & {notification: Notification, waitUntil(done: Promise<unknown>): void}} Pressed
 * @typedef {{skipWaiting(): Promise<void>, addEventListener(type: string, heard: (event: any) => void): void,
 *   clients: {matchAll(which: object): Promise<Tab[]>, openWindow(path: string): Promise<unknown>}}} Scope
 */
const scope = /** @type {Scope} */ (/** @type {unknown} */ (self));

scope.addEventListener("install", () => void scope.skipWaiting());

scope.addEventListener("notificationclick", (/** @type {Pressed} */ event) => {
  event.notification.close();
  const { path } = event.notification.data ?? {};
  if (typeof path === "string") event.waitUntil(reveal(path));
});

/** The tab that shows it already, otherwise a new one, so that no typed text is lost. @param {string} path */
async function reveal(path) {
  const tabs = await scope.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = tabs.find(({ url }) => new URL(url).pathname === path);
  await (there ? there.focus() : scope.clients.openWindow(path));
}
