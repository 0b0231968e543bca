// Shows nothing by itself. A notification may outlive its page: whoever presses it comes to the request.

/**
 * The little of a service worker that is used here.
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

/** The tab that shows it already, else a new one: what somebody types elsewhere is not lost. @param {string} path */
async function reveal(path) {
  const tabs = await scope.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = tabs.find(({ url }) => new URL(url).pathname === path);
  await (there ? there.focus() : scope.clients.openWindow(path));
}
