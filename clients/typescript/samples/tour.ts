/*
 * A tour of the client: each kind of memory once, errors, and a daemon that is killed on the way.
 *
 * Run it while a daemon runs: `node build/samples/tour.js`. It asks for the daemon to be killed and started again.
 * MEMORYD_ADDRESS is the daemon's address, by default 127.0.0.1:7600. The tours of all languages print the same lines.
 */
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cancelled, connect, MemorydError, type Agent, type Watch } from "memoryd";
import { MessageRole, PlanStepStatus, type Fragment } from "memoryd/v1";

interface Trip {
  readonly city: string;
  readonly nights: number;
}

async function main(): Promise<void> {
  using client = connect({ origin: "tour" });
  await client.agent("tour").end();
  const agent = client.agent("tour").user("ada"); // all that is written and read below is Ada's
  await workingMemory(agent);
  await watchAcrossAKill(agent);
  await refusals(agent);
  await nearCache(agent);
  await records(agent);
  await fragments(agent);
  await compose(agent);
  await client.agent("tour").end();
}

async function workingMemory(agent: Agent): Promise<void> {
  await agent.set("trip", { city: "Lisbon", nights: 3 } satisfies Trip, { ttlMs: 3_600_000 });
  const trip = await agent.get("trip", { check: isTrip });
  const entry = await agent.getEntry("trip");
  console.log(`trip: ${trip?.city}, ${trip?.nights} nights, ${entry?.expireTime ? "expires" : "stays"}`);

  {
    await using scope = await agent.scope("booking"); // its entries are gone at the end; reads fall back to the agent's
    await scope.set("seat", "12A");
    const inherited = await scope.get("trip", { check: isTrip });
    console.log(`in the scope: ${inherited?.city}, seat ${await scope.get<string>("seat")}`);
  }
  console.log(`after the scope: seat ${(await agent.get<string>("seat")) ?? "none"}`);

  let runs = 0;
  const greet = (): string => {
    runs += 1;
    return "Good morning, Ada";
  };
  const greetings = await Promise.all(Array.from({ length: 8 }, async () => agent.getOrSet("greeting", greet)));
  console.log(`get or set: ${greetings.length} callers, ${runs} run, ${[...new Set(greetings)].join(", ")}`);

  const tx = agent.transaction(); // all of it, or nothing
  const [adults, children] = [tx.set("adults", 2), tx.set("children", 1)];
  await tx.commit();
  console.log(`transaction: ${adults.result.revision === children.result.revision ? "one revision" : "several"}`);
}

async function watchAcrossAKill(agent: Agent): Promise<void> {
  await using watch = await agent.watch({ keyPrefix: "step-" });
  const keys = keysOf(watch);
  await agent.set("step-1", "booked");
  console.log(`watched: ${(await keys.next()).value}`);
  console.log("Kill the daemon, start it again, and press Enter.");
  await once(process.stdin, "data");
  process.stdin.pause();
  await agent.set("step-2", "packed"); // is retried until the daemon is back
  console.log(`watched: ${(await keys.next()).value}`); // the watch has resumed by itself, and missed nothing
}

async function* keysOf(watch: Watch): AsyncGenerator<string, undefined> {
  for await (const { subject } of watch) {
    if (subject.case === "entry") {
      yield subject.value.key;
    }
  }
}

async function refusals(agent: Agent): Promise<void> {
  console.log(`a bad key: ${await refusal(agent.set("", 1))}`);
  const entry = await agent.getEntry("trip");
  await agent.set("trip", { city: "Lisbon", nights: 4 }); // another writer is faster
  console.log(`a lost race: ${await refusal(agent.set("trip", 0, { expectedRevision: entry?.revision ?? 0 }))}`);
  console.log(`a wrong type: ${await refusal(agent.get("trip", { check: (value) => typeof value === "number" }))}`);
  console.log(`a missing record: ${await refusal(agent.notes.get("nothing"))}`);
  const abort = new AbortController();
  const waiting = agent.fragments.take({ waitDurationMs: 60_000, signal: abort.signal });
  abort.abort();
  try {
    await waiting;
  } catch (error) {
    if (error instanceof Cancelled) {
      console.log("a cancelled call: ended");
    }
  }
}

async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof MemorydError) {
      return error.name;
    }
    throw error;
  }
  return "none";
}

async function nearCache(agent: Agent): Promise<void> {
  // A copy in this process: a read makes no call, and has the client's own writes at once.
  await using near = await agent.nearCache();
  console.log(`near cache: ${near.peek("trip", { check: isTrip })?.city}`);
  await agent.set("trip", { city: "Porto", nights: 2 });
  console.log(`near cache: ${near.peek("trip", { check: isTrip })?.city}`);
}

async function records(agent: Agent): Promise<void> {
  await agent.memories.remember("Ada likes the window seat on trains.", { importance: 0.8 });
  await agent.memories.remember("Ada's sister lives in Oslo.");
  const { memories } = await agent.memories.recall("Which seat does Ada like?", { limit: 1 });
  console.log(`recalled: ${memories[0]?.memory?.content}`);

  await agent.notes.create("Budget", "200 euros for one journey.");
  for await (const note of agent.notes.list()) {
    console.log(`notes: ${note.title}`);
  }

  const conversationId = "porto";
  const created = await agent.plans.create("Travel to Porto", { conversationId, steps: ["book a train", "pack"] });
  const [first] = created.steps;
  await agent.plans.updateStep(first?.stepId ?? "", { status: PlanStepStatus.COMPLETED }, { conversationId });
  const { steps } = await agent.plans.get({ conversationId });
  const completed = steps.filter(({ status }) => status === PlanStepStatus.COMPLETED);
  const descriptions = completed.map(({ description }) => description).join(", ");
  console.log(`plan: ${completed.length} of ${steps.length} steps completed, ${descriptions}`);

  const document = await uploadPackingList(agent);
  const { chunks } = await agent.documents.search("towel");
  console.log(`document: ${document.title}, found in ${chunks.length} chunk`);
}

async function uploadPackingList(agent: Agent): Promise<{ readonly title: string }> {
  const folder = await mkdtemp(join(tmpdir(), "memoryd-tour-"));
  try {
    const path = join(folder, "list.txt");
    await writeFile(path, "A passport. A towel. A book.");
    let uploaded = 0;
    const document = await agent.documents.upload(createReadStream(path), {
      title: "Packing list",
      source: "list.txt",
      progress: (bytes) => (uploaded = bytes),
    });
    console.log(`uploaded: ${uploaded} bytes`);
    return document;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function fragments(agent: Agent): Promise<void> {
  for (const content of ["The train is late.", "Ada is hungry."]) {
    await agent.fragments.create(content);
  }
  await agent.fragments.flush();
  const seen = new Set<string>();
  await new Promise<void>((resolve, reject) => {
    const consolidate = (batch: readonly Fragment[]): void => {
      batch.forEach(({ content }) => seen.add(content));
      if (seen.size === 2) {
        resolve(consumer.close());
      }
    };
    const consumer = agent.fragments.onFlush(consolidate);
    consumer.ended.catch(reject);
  });
  console.log(`consumed: ${[...seen].sort().join(" ")}`);
}

async function compose(agent: Agent): Promise<void> {
  const conversationId = "porto";
  await agent.conversations.append(conversationId, [{ role: MessageRole.USER, content: "Please book a seat for me." }]);
  const { messages } = await agent.compose({
    conversationId,
    sections: [
      { text: "You book journeys." },
      { notes: {} },
      { plan: {} },
      { memories: { limit: 1 } },
      { messages: {} },
    ],
    maxTokens: 4_000,
  });
  for (const { role, section } of messages) {
    console.log(`composed: ${MessageRole[role].toLowerCase()}, ${section}`);
  }
}

function isTrip(value: unknown): value is Trip {
  return typeof value === "object" && value !== null && "city" in value && "nights" in value;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof MemorydError)) {
    throw error;
  }
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
