// The React example in a page: its own Vite server and its own code, in jsdom instead of a browser.
// Takes a list of steps as JSON and prints what the page shows after each.
import { JSDOM } from "jsdom";
import { createServer } from "vite";

const steps = JSON.parse(process.argv[2]);
const vite = await createServer({
  server: { host: "127.0.0.1", port: 0 },
  cacheDir: ".vite",
  logLevel: "error",
});
await vite.listen();
const [origin] = vite.resolvedUrls.local;

const real = globalThis.fetch;
const { window } = new JSDOM(await (await real(origin)).text(), { url: origin });
// What a browser has and Node has not; relative addresses belong to the page.
const { document, navigator } = window;
for (const [name, value] of Object.entries({ window, document, navigator })) {
  Object.defineProperty(globalThis, name, { value, configurable: true });
}
globalThis.fetch = (address, init) => real(new URL(address, origin), init);
await vite.ssrLoadModule("/src/main.jsx");

async function until(found, what) {
  for (let i = 0; i < 1500; i++) {
    const result = found();
    if (result) return result;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`${what} did not come. The page: ${document.body.textContent}`);
}

const named = (selector, name) =>
  [...document.querySelectorAll(selector)].find(
    (each) => (each.getAttribute("aria-label") ?? each.textContent).trim().startsWith(name),
  );

/** As a person types: React listens for the event, and hides the setter. */
function fill(field, text) {
  const prototype = Object.getPrototypeOf(field);
  Object.getOwnPropertyDescriptor(prototype, "value").set.call(field, text);
  const type = field.tagName === "SELECT" ? "change" : "input";
  field.dispatchEvent(new window.Event(type, { bubbles: true }));
}

const pressable = (name) => {
  const button = named("button", name);
  return button && !button.disabled ? button : null;
};

const actions = {
  async say(text) {
    fill(await until(() => named("input", "Message"), "the message box"), text);
    (await until(() => named("button", "Send"), "Send")).click();
  },
  async press(name) {
    (await until(() => pressable(name), name)).click();
  },
  async fill([name, text]) {
    const labelled = () => named("label", name)?.querySelector("input, select");
    fill(await until(() => labelled() ?? named("input, select", name), name), text);
  },
  /** Again and again: what it waits for happens elsewhere. */
  async pressUntil([name, text]) {
    await until(() => {
      named("button", name)?.click();
      return document.body.textContent.includes(text);
    }, text);
  },
  async see(text) {
    await until(() => document.body.textContent.includes(text), text);
  },
};

for (const [action, what] of steps) {
  await actions[action](what);
  console.log(JSON.stringify(document.querySelector("main").textContent));
}
process.exit(0);
