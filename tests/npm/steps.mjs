// Fills in a form in steps over HTTP, as any frontend would: what applies, step by step.

const shows = (field, given) => !field.show_if || given[field.show_if.field] === field.show_if.equals;

/**
 * Keeps each step as a draft, uploads files, and sends with the last one.
 * Returns the titles of the steps that applied, and what was refused on the way.
 */
export async function filled({ base, headers, id, steps, fields, entered }) {
  const place = `${base}/api/requests/${id}`;
  const known = Object.fromEntries(fields.map((field) => [field.name, field]));
  const json = { ...headers, "content-type": "application/json" };

  async function say(body) {
    const answer = await fetch(`${place}/decide`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ verdict: "answer", ...body }),
    });
    return { status: answer.status, said: await answer.json() };
  }

  async function upload(name, content) {
    const path = `${place}/files/${name}?name=${encodeURIComponent("../label.pdf")}`;
    const answer = await fetch(path, { method: "PUT", headers, body: content });
    return answer.json();
  }

  const titles = [];
  const refused = [];
  const given = {};
  const left = steps.map((step) => [step.title, step.fields]);
  for (const [title, names] of left) {
    const values = {};
    for (const name of names.filter((each) => shows(known[each], given))) {
      const value = entered[name];
      if (value === undefined) continue;
      values[name] = known[name].type === "file" ? await upload(name, value) : value;
    }
    if (!names.some((each) => shows(known[each], given))) continue;
    titles.push(title);
    const card = await (await fetch(`${place}/card`, { headers })).json();
    const seen = card.draft_number ?? 0;
    const wrong = Object.fromEntries(Object.keys(values).map((name) => [name, { no: "value" }]));
    const first = await say({ partial: true, seen, values: wrong });
    refused.push([first.status, Object.keys(first.said.errors ?? {}).sort()]);
    const kept = await say({ partial: title !== left.at(-1)[0], seen, values });
    if (kept.status !== 200) throw new Error(JSON.stringify(kept));
    Object.assign(given, values);
  }
  return { titles, refused };
}
