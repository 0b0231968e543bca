// Brings a part of a page up to date with the server's newer version of it.

/** Identify children: by id, else by name and position. @param {Element} parent @returns {Map<string, ChildNode>} */
function keyed(parent) {
  /** @type {Map<string, number>} */ const seen = new Map();
  /** @type {Map<string, ChildNode>} */ const found = new Map();
  for (const child of parent.childNodes) {
    const id = child instanceof Element ? child.id : "";
    const count = seen.get(child.nodeName) ?? 0;
    if (!id) seen.set(child.nodeName, count + 1);
    found.set(id ? `#${id}` : `${child.nodeName} ${count}`, child);
  }
  return found;
}

/** Whether it is in use: it has the focus, or text that was typed. @param {Element} element */
function isBusy(element) {
  if (element.contains(document.activeElement)) return true;
  const controls = element.querySelectorAll("textarea, input, select");
  return [...controls].some(isTyped);
}

/** @param {Element} control */
function isTyped(control) {
  if (control instanceof HTMLTextAreaElement) return control.value !== control.defaultValue;
  if (control instanceof HTMLSelectElement) {
    const usual = [...control.options].findIndex((option) => option.defaultSelected);
    return control.selectedIndex !== Math.max(0, usual);
  }
  if (!(control instanceof HTMLInputElement) || control.type === "hidden") return false;
  return control.value !== control.defaultValue || control.checked !== control.defaultChecked;
}

/** @param {ChildNode} node */
function isKept(node) {
  return node instanceof Element && node.hasAttribute("data-keep") && isBusy(node);
}

/**
 * Merge three versions: what is shown, what the server sent before, and what it sends now. Only
 * what changed on the server changes here; changes by scripts and people stay.
 * @param {Element} here @param {Element} was @param {Element} now
 */
export function merge(here, was, now) {
  for (const { name } of [...was.attributes, ...now.attributes]) {
    const value = now.getAttribute(name);
    if (value === was.getAttribute(name)) continue;
    if (value === null) here.removeAttribute(name);
    else here.setAttribute(name, value);
  }
  if (here.matches("time-left, time-ago, [data-own]")) return;
  mergeChildren(here, was, now);
}

/** @param {Element} here @param {Element} was @param {Element} now */
function mergeChildren(here, was, now) {
  const [live, before, after] = [keyed(here), keyed(was), keyed(now)];
  for (const [key, old] of before) {
    const there = live.get(key);
    if (after.has(key) || !there) continue;
    // Still in use: keep it, and compare again next time.
    if (isKept(there)) now.append(old.cloneNode(true));
    else there.remove();
  }
  let cursor = here.firstChild;
  for (const [key, next] of after) {
    const there = live.get(key);
    const settled = there ? mergeChild(there, before.get(key), next) : arrived(next);
    if (settled === cursor) cursor = cursor.nextSibling;
    else here.insertBefore(settled, cursor);
  }
}

/** @param {ChildNode} there @param {ChildNode | undefined} old @param {ChildNode} next */
function mergeChild(there, old, next) {
  if (old?.isEqualNode(next)) return there;
  if (isKept(there)) {
    // The older version is still shown: the next comparison starts from it.
    if (old) next.replaceWith(old.cloneNode(true));
    return there;
  }
  if (there instanceof Element && old instanceof Element && next instanceof Element) {
    merge(there, old, next);
    return there;
  }
  if (there instanceof Element) {
    const made = arrived(next);
    there.replaceWith(made);
    return made;
  }
  there.nodeValue = next.nodeValue;
  return there;
}

/** @param {ChildNode} node @returns {ChildNode} */
function arrived(node) {
  const made = /** @type {ChildNode} */ (document.importNode(node, true));
  if (made instanceof Element && made.id) made.classList.add("fresh");
  return made;
}
