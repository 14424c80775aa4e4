import type { GetServerInfoResponseJson } from "#protos/server_service_pb";

import type { Health } from "../app";
import { wordsOf } from "../daemon/call";
import { Line } from "../view/inert";
import { Notice } from "../view/notice";
import { Meter, Plot } from "../view/plot";
import { Since } from "../view/time";
import { count, size, titleOf, wordOf } from "../view/word";

/** Whether the daemon is well, what it is doing, and what needs attention. */
export function Overview({ health }: { health: Health }) {
  const { info } = health;
  const concerns = concernsOf(health);
  return (
    <>
      <h1>Overview</h1>
      <section class={concerns.length ? "card attention" : "card"} aria-label="What needs attention">
        {concerns.length > 0 ? (
          <ul class="concerns">
            {concerns.map((concern) => (
              <li key={concern}>
                <Line text={concern} />
              </li>
            ))}
          </ul>
        ) : info ? (
          <p class="well">All is well. Nothing needs attention.</p>
        ) : (
          <Notice>Asking the daemon…</Notice>
        )}
      </section>
      {info && (
        <>
          <Activity health={health} />
          <div class="columns">
            <Facts info={info} />
            <Components info={info} />
            <Usage info={info} />
          </div>
        </>
      )}
    </>
  );
}

function concernsOf({ info, error }: Health): readonly string[] {
  const concerns = error === undefined ? [] : [wordsOf(error)];
  if (!info) return concerns;
  if (info.state !== "SERVER_STATE_SERVING") concerns.push(`The daemon is ${wordOf(info.state)}.`);
  if (info.durability === "DURABILITY_MEMORY") {
    concerns.push("Nothing is written to a disk: what agents remember is lost when the daemon ends.");
  }
  for (const { name, state, reason } of info.components ?? []) {
    if (state !== "COMPONENT_STATE_OK") concerns.push(`${name ?? ""} is ${wordOf(state)}: ${reason ?? ""}`);
  }
  for (const [name, value] of Object.entries(info.usage ?? {})) {
    const max = Number(info.limits?.[name] ?? 0);
    if (max > 0 && Number(value) >= 0.8 * max) {
      concerns.push(`${titleOf(name)}: ${count(value)} of ${count(max)} are in use. More are refused.`);
    }
  }
  return concerns;
}

function Activity({ health }: { health: Health }) {
  const latest = (values: readonly number[]) => values.at(-1) ?? 0;
  const tiles = [
    ["Round trip from here", `${latest(health.milliseconds).toFixed(1)} ms`, health.milliseconds],
    ["Calls in progress", count(latest(health.calls)), health.calls],
    ["Watches", count(latest(health.watches)), health.watches],
    ["Bytes in transit", size(latest(health.bytes)), health.bytes],
  ] as const;
  return (
    <section class="tiles" aria-label="Activity">
      {tiles.map(([title, value, values]) => (
        <div class="card tile" key={title}>
          <h2>{title}</h2>
          <p class="figure">{value}</p>
          <Plot values={values} label={`${title} in the last two minutes, ${value} now`} />
        </div>
      ))}
    </section>
  );
}

function Facts({ info }: { info: GetServerInfoResponseJson }) {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Version", info.version],
    ["Store", info.backend],
    ["A change survives", durabilityOf(info.durability)],
    [
      "Embedder",
      info.embedder ? `${info.embedder.model ?? ""}, ${count(info.embedder.dimensions)} dimensions` : "none",
    ],
    ["Tiers", info.tiers?.map(({ name }) => name).join(", ")],
    ["Capabilities", info.capabilities?.join(", ")],
  ];
  return (
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">Daemon</h2>
      <dl class="record">
        {info.startTime && (
          <div>
            <dt>Up</dt>
            <dd>
              <Since time={info.startTime} />
            </dd>
          </div>
        )}
        {facts.map(
          ([title, value]) =>
            value && (
              <div key={title}>
                <dt>{title}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ),
        )}
      </dl>
    </section>
  );
}

function durabilityOf(durability: GetServerInfoResponseJson["durability"]): string {
  switch (durability) {
    case "DURABILITY_SYNCED":
      return "the loss of power";
    case "DURABILITY_JOURNALED":
      return "the end of the daemon";
    default:
      return "nothing";
  }
}

function Components({ info }: { info: GetServerInfoResponseJson }) {
  if (!info.components?.length) return null;
  return (
    <section class="card" aria-labelledby="components">
      <h2 id="components">Components</h2>
      <ul class="plain">
        {info.components.map(({ name, state }) => (
          <li key={name}>
            <span>{titleOf(name ?? "")}</span>
            <span class={`state ${wordOf(state)}`}>{wordOf(state)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Usage({ info }: { info: GetServerInfoResponseJson }) {
  const used = Object.entries(info.usage ?? {}).filter(([name]) => info.limits?.[name] !== undefined);
  return (
    <section class="card" aria-labelledby="usage">
      <h2 id="usage">In use</h2>
      <ul class="plain">
        {used.map(([name, value]) => {
          const max = Number(info.limits?.[name]);
          const written = name.endsWith("_bytes") ? size : count;
          return (
            <li class="used" key={name}>
              <span>{titleOf(name)}</span>
              <span>
                {written(Number(value))} of {written(max)}
              </span>
              <Meter value={Number(value)} max={max} label={titleOf(name)} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
