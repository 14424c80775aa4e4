import { clone, create, type DescMessage, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { UnaryResponse } from "@connectrpc/connect";
import type { Client } from "memoryd";
import { Agent } from "../src/agent.js";
import type { MemorydTransport } from "../src/transport.js";
import { argumentsOf, Unsayable } from "./arguments.js";
import { jsonOf } from "./stubs.js";
import { WRAPPERS } from "./wrappers.js";

type Kind = Record<string, (...given: unknown[]) => Promise<unknown> | AsyncIterable<unknown>>;

/** Counts the calls of each method that were made with its wrapper. */
export const wrapped = new Map<string, number>();

/**
 * Calls a method with its wrapper, as a user's program would, and returns the response that the wrapper has received.
 * Returns undefined, without a call, if there is no wrapper, or none that can say this request.
 */
export async function callWrapped(
  client: Client,
  method: DescMethodUnary,
  request: Message,
  timeoutMs: number,
): Promise<Message | undefined> {
  const wrapper = WRAPPERS[method.name];
  const recorder = new Recorder(client, method, request);
  try {
    if (!wrapper) {
      return undefined;
    }
    const given = argumentsOf(method.input, request, wrapper, timeoutMs);
    const { agentId } = request as Message & { agentId: string };
    const agent = new Agent(recorder as unknown as MemorydTransport, agentId, "");
    const kind = (wrapper.kind === undefined ? agent : Reflect.get(agent, wrapper.kind)) as unknown as Kind;
    const returned = kind[wrapper.method]?.(...given);
    if (returned && Symbol.asyncIterator in returned) {
      await drain(returned);
    } else {
      await returned;
    }
  } catch (error) {
    // The wrapper, or its types, would have refused what only a stub can send.
    if (error instanceof Unsayable || (error instanceof TypeError && !recorder.called)) {
      return undefined;
    }
    throw error;
  }
  wrapped.set(method.name, (wrapped.get(method.name) ?? 0) + 1);
  return recorder.response;
}

/** The transport of a wrapper that checks its request, and keeps the response. */
class Recorder {
  called = false;
  response: Message | undefined;

  constructor(
    readonly client: Client,
    readonly method: DescMethodUnary,
    readonly expected: Message,
  ) {}

  async unary(...call: Parameters<MemorydTransport["unary"]>): Promise<UnaryResponse> {
    const [method, , , , input] = call;
    this.called = true;
    const [sent, asked] = [create(method.input, input), this.expected].map((each) => comparable(method.input, each));
    if (sent !== asked || method !== this.method) {
      throw new Error(`the wrapper of ${this.method.name} sent ${method.name} ${sent} instead of ${asked}`);
    }
    const response = await this.client.transport.unary(...call);
    this.response = response.message;
    return response;
  }
}

async function drain(records: AsyncIterable<unknown>): Promise<void> {
  const iterator = records[Symbol.asyncIterator]();
  while (!(await iterator.next()).done);
}

/** Returns the text of a request without what does not matter: the size of pages, and whether the draft of an update is empty. */
function comparable(desc: DescMessage, request: Message): string {
  const { pageSize, draft } = desc.field;
  const message = reflect(desc, clone(desc, request));
  if (pageSize) {
    message.clear(pageSize);
  }
  if (desc.field.updateMask && draft?.message && !message.isSet(draft)) {
    message.set(draft, reflect(draft.message));
  }
  return JSON.stringify(jsonOf(desc, message.message));
}
