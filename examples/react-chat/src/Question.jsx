import { useState } from "react";
import { isBusy } from "./busy.js";
import { follow } from "./follow.js";

const KINDS = { input: Form, result: Result, outcome: Outcome };

/** What is asked besides approvals: a form, a result that only a person has, a call in doubt. */
export function Question({ asked, chat }) {
  if (asked.status !== "open") return null;
  if (!asked.mine) return <Elsewhere asked={asked} chat={chat} />;
  const Kind = KINDS[asked.kind];
  return <Kind asked={asked} chat={chat} />;
}

function Elsewhere({ asked, chat }) {
  const [still, setStill] = useState("");

  async function look() {
    const request = await (await fetch(`/api/requests/${asked.requestId}`)).json();
    if (request.status === "open") setStill(" still");
    else await follow(chat, request.turn_id);
  }

  return (
    <div className="asks">
      <p>
        Somebody else{still} has to decide <code>{asked.toolName}</code>.
      </p>
      <button type="button" onClick={look}>
        Look again
      </button>
    </div>
  );
}

function Form({ asked, chat }) {
  const [values, setValues] = useState(() =>
    Object.fromEntries(
      asked.fields.map(({ name, default: usual }) => [name, asked.prefilled[name] ?? usual ?? ""]),
    ),
  );
  const fields = asked.fields.filter(
    ({ show_if: when }) => !when || values[when.field] === when.equals,
  );
  const filled = fields.filter((field) => values[field.name] !== "");

  return (
    <Asked
      title={asked.reason}
      asked={asked}
      chat={chat}
      verdict={() => ({
        verdict: "answer",
        values: Object.fromEntries(filled.map((field) => [field.name, values[field.name]])),
      })}
    >
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={values[field.name]}
          onChange={(event) => setValues({ ...values, [field.name]: event.target.value })}
        />
      ))}
    </Asked>
  );
}

function Result({ asked, chat }) {
  const [output, setOutput] = useState("");
  return (
    <Asked
      title={asked.question}
      asked={asked}
      chat={chat}
      verdict={() => ({ verdict: "supply", output })}
    >
      <input
        aria-label={asked.question}
        value={output}
        onChange={(event) => setOutput(event.target.value)}
      />
    </Asked>
  );
}

function Outcome({ asked, chat }) {
  const [ran, setRan] = useState("");
  return (
    <Asked
      title={`Nobody knows whether ${asked.toolName} ran. Did it?`}
      asked={asked}
      chat={chat}
      verdict={() => ({ verdict: ran })}
    >
      <select
        aria-label="Did it run?"
        required
        value={ran}
        onChange={(event) => setRan(event.target.value)}
      >
        <option value="" disabled />
        <option value="ran">It ran</option>
        <option value="did_not_run">It did not run</option>
      </select>
    </Asked>
  );
}

function Asked({ title, asked, chat, verdict, children }) {
  const [problem, setProblem] = useState("");

  async function answer(event) {
    event.preventDefault();
    // A path, or absolute where the server has an origin: Vite's proxy, which has the key, takes it.
    const { pathname } = new URL(asked.decideAt, window.location.href);
    const response = await fetch(pathname, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(verdict()),
    });
    const said = await response.json();
    if (response.ok) await follow(chat, said.turn_id);
    // Of a form, each field that is wrong has a message of its own.
    else setProblem(Object.values(said.errors ?? { detail: said.detail }).join(" "));
  }

  return (
    <form className="asks" onSubmit={answer}>
      <h2>{title}</h2>
      {children}
      {problem && <p role="alert">{problem}</p>}
      <button className="approve" disabled={isBusy(chat)}>
        Answer
      </button>
    </form>
  );
}

function Field({ field, value, onChange }) {
  const given = { name: field.name, value, onChange };
  return (
    <label>
      {field.label}
      {field.type === "select" ? (
        <select {...given}>
          <option value="" disabled />
          {field.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...given}
          type={field.type === "secret" ? "password" : "text"}
          placeholder={field.placeholder}
        />
      )}
      {field.help && <small>{field.help}</small>}
    </label>
  );
}
