import { Inert } from "./inert";
import { Age, Deadline } from "./time";
import { titleOf, wordOf } from "./word";

const ENUMS = new Set(["type", "status", "role", "kind", "cause"]);

/** All fields of a message of the contract, as they are in JSON. */
export function Fields({ record }: { record: object }) {
  return (
    <dl class="record">
      {Object.entries(record).map(([name, value]: [string, unknown]) => (
        <div key={name}>
          <dt>{titleOf(name)}</dt>
          <dd>
            <Field name={name} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The value of one field. */
export function Field({ name, value }: { name: string; value: unknown }) {
  if (typeof value === "string") {
    if (name === "valueJson") return <Value json={value} />;
    if (name === "expireTime") return <Deadline time={value} />;
    if (name.endsWith("Time")) return <Age time={value} />;
    if (/^[A-Z]+(_[A-Z]+)+$/.test(value) && ENUMS.has(name)) {
      return <>{wordOf(value)}</>;
    }
    return <Inert text={value} />;
  }
  if (typeof value === "number" || typeof value === "boolean") return <>{String(value)}</>;
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) {
    return (
      <span class="tags">
        {value.map((each) => (
          <span class="tag" key={each}>
            <Inert text={each} max={80} />
          </span>
        ))}
      </span>
    );
  }
  return <Value json={JSON.stringify(value)} />;
}

/** A value in JSON, indented if that keeps what it says: numbers stay as they were written. */
export function Value({ json }: { json: string }) {
  return (
    <pre>
      <Inert text={indented(json)} max={2_000} />
    </pre>
  );
}

const INDENTED_MAX = 100_000;

/** Return a JSON text with its lines indented, if that keeps what it says. */
export function indented(json: string): string {
  if (json.length > INDENTED_MAX) return json;
  try {
    const value: unknown = JSON.parse(json);
    // A number of many digits would be another one.
    return JSON.stringify(value) === json ? JSON.stringify(value, null, 2) : json;
  } catch {
    return json;
  }
}
