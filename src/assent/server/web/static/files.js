// Files of a form: sent while the form is filled in, with progress, by choosing, dropping or pasting.

const token = document.querySelector("meta[name=csrf-token]")?.getAttribute("content") ?? "";

/** What the service says of a file. @typedef {{key: string, name: string, facts: string, picture: boolean}} Kept */

/** Create an element. @param {string} tag @param {string} className @param {...(string | Node)} children */
function made(tag, className, ...children) {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}

/** Read the answer to an upload; a proxy in between may have answered in its own words. @param {XMLHttpRequest} request @returns {{kept?: Kept, problem?: string}} */
function said({ status, responseText }) {
  try {
    const answer = JSON.parse(responseText);
    return answer.key ? { kept: answer } : { problem: answer.problem ?? answer.detail ?? "It was refused." };
  } catch {
    return { problem: status === 413 ? "It is too large for this service." : "It did not arrive. Try again." };
  }
}

/** The files of one field. Without this script its control sends them with the form. */
class FileField extends HTMLElement {
  #busy = 0;
  #leave = new AbortController();

  connectedCallback() {
    this.#leave = new AbortController();
    const { signal } = this.#leave;
    this.addEventListener("change", (event) => this.#chosen(event), { signal });
    this.addEventListener("dragover", (event) => this.#over(event), { signal });
    this.addEventListener("dragleave", () => this.classList.remove("is-over"), { signal });
    this.addEventListener("drop", (event) => this.#dropped(event), { signal });
    document.addEventListener("paste", (event) => this.#pasted(event), { signal });
    this.closest("form")?.addEventListener("submit", (event) => this.#hold(event), { signal, capture: true });
  }

  disconnectedCallback() {
    this.#leave.abort();
  }

  /** @param {Event} event */
  #chosen({ target }) {
    if (!(target instanceof HTMLInputElement) || target.type !== "file") return;
    const files = [...(target.files ?? [])];
    // Sent here, so not once more with the form.
    target.value = "";
    this.#take(files);
  }

  /** @param {DragEvent} event */
  #over(event) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.classList.add("is-over");
  }

  /** @param {DragEvent} event */
  #dropped(event) {
    this.classList.remove("is-over");
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    this.#take(files);
  }

  /** A picture from the clipboard goes to the field that was used last, else to the first of the form or page. @param {ClipboardEvent} event */
  #pasted(event) {
    const files = [...(event.clipboardData?.files ?? [])];
    const active = document.activeElement;
    const first = active?.closest("form")?.querySelector("file-field") ?? document.querySelector("file-field");
    const mine = (active?.closest("file-field") ?? first) === this;
    if (!files.length || !mine || this.closest("[hidden]")) return;
    // Cells of a spreadsheet come as text and as a picture of it: where people write, they mean the text.
    const writes = active?.matches("textarea, input:not([type=file], [type=checkbox], [type=radio])");
    if (writes && event.clipboardData?.getData("text/plain")) return;
    event.preventDefault();
    this.#take(files);
  }

  /** The form waits until everything has arrived. @param {Event} event */
  #hold(event) {
    if (!this.#busy) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.querySelector(".sending")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {File[]} files */
  async #take(files) {
    for (const file of files) await this.#send(file);
  }

  /** Send one file and show how far it is. @param {File} file */
  async #send(file) {
    const bar = document.createElement("progress");
    bar.max = 1;
    bar.value = 0;
    bar.setAttribute("aria-label", `Sending ${file.name}`);
    const words = made("span", "file-facts", "sending…");
    words.setAttribute("role", "status");
    const stop = /** @type {HTMLButtonElement} */ (made("button", "stop", "Stop"));
    stop.type = "button";
    const row = made("li", "sending", made("span", "file-name", file.name), words, bar, stop);
    this.querySelector(".files")?.append(row);
    if (file.size > Number(this.dataset.bytes)) return this.#fail(row, "It is too large for this field.");
    this.#busy += 1;
    const answer = await this.#put(file, bar, words, stop);
    this.#busy -= 1;
    if (answer.kept) this.#keep(row, answer.kept);
    else this.#fail(row, answer.problem ?? "");
    this.dispatchEvent(new Event("input", { bubbles: true }));
    return undefined;
  }

  /**
   * @param {File} file @param {HTMLProgressElement} bar @param {HTMLElement} words @param {HTMLButtonElement} stop
   * @returns {Promise<{kept?: Kept, problem?: string}>}
   */
  #put(file, bar, words, stop) {
    // Not fetch: it does not tell how much of a body has been sent.
    const request = new XMLHttpRequest();
    return new Promise((done) => {
      request.upload.addEventListener("progress", ({ loaded, total }) => {
        bar.value = total ? loaded / total : 0;
        words.textContent = loaded < total ? `${Math.round(100 * bar.value)} %` : "is being checked…";
      });
      request.addEventListener("load", () => done(said(request)));
      request.addEventListener("error", () => done({ problem: "It did not arrive. Try again." }));
      request.addEventListener("abort", () => done({ problem: "Stopped: nothing of it was kept." }));
      stop.addEventListener("click", () => request.abort());
      request.open("PUT", `${this.dataset.to}?name=${encodeURIComponent(file.name)}`);
      request.setRequestHeader("x-csrf-token", token);
      request.setRequestHeader("content-type", "application/octet-stream");
      request.send(file);
    });
  }

  /** @param {HTMLElement} row @param {Kept} kept */
  #keep(row, kept) {
    const list = this.querySelector(".files");
    const box = document.createElement("input");
    Object.assign(box, { type: "checkbox", name: this.dataset.name, value: kept.key, checked: true });
    const label = made("label", "choice", box, " ", made("span", "file-name", kept.name));
    const facts = made("span", "file-facts", kept.facts);
    facts.setAttribute("role", "status");
    const done = made("li", "", label, facts);
    if (kept.picture) {
      const picture = document.createElement("img");
      picture.alt = "";
      picture.src = `${this.dataset.to?.replace(/[^/]*$/, kept.key)}/picture`;
      done.prepend(picture);
    }
    for (const other of this.querySelectorAll("input[type=checkbox]")) {
      const twin = /** @type {HTMLInputElement} */ (other);
      if (twin.value === kept.key) twin.closest("li")?.remove();
      else if (this.dataset.most === "1") twin.checked = false;
    }
    list?.append(done);
    row.remove();
  }

  /** @param {HTMLElement} row @param {string} problem */
  #fail(row, problem) {
    row.className = "failed";
    row.querySelector("progress")?.remove();
    const button = /** @type {HTMLButtonElement} */ (row.querySelector("button"));
    button.replaceWith(this.#dismissal(row));
    const words = row.querySelector("[role=status]");
    if (words) words.textContent = problem;
  }

  /** @param {HTMLElement} row */
  #dismissal(row) {
    const button = /** @type {HTMLButtonElement} */ (made("button", "dismiss", "Dismiss"));
    button.type = "button";
    button.addEventListener("click", () => row.remove());
    return button;
  }
}

customElements.define("file-field", FileField);
