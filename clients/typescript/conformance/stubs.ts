import {
  fromJson,
  toJson,
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  type JsonObject,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { MemorydError, type Client } from "memoryd";
import * as v1 from "memoryd/v1";
import { difference } from "./compare.js";
import { callWrapped } from "./wrapped.js";

type Call = (request: Message, options: { timeoutMs: number }) => Promise<Message>;

const CALL_TIMEOUT_MS = 30_000;
const SERVICES = new Map(
  Object.values<unknown>(v1)
    .filter(isService)
    .map((service) => [service.name, service]),
);

/** Calls a unary method such as `AgentService.GetAgent`, with its wrapper or on its stub, with messages in JSON. */
export async function call(client: Client, name: string, request: JsonValue): Promise<JsonValue> {
  const { service, method } = methodOf(name);
  const stub = client.stub(service) as Record<string, Call | undefined>;
  const message = fromJson(method.input, request);
  const response =
    (await callWrapped(client, method, message, CALL_TIMEOUT_MS)) ??
    (await stub[method.localName]?.(message, { timeoutMs: CALL_TIMEOUT_MS }));
  if (!response) {
    throw new Error(`no stub for ${name}`);
  }
  return jsonOf(method.output, response);
}

/** Returns a message in the JSON form of the scenarios. */
export function jsonOf(schema: DescMessage, message: Message): JsonValue {
  return toJson(schema, message, { alwaysEmitImplicit: true, useProtoFieldName: true });
}

/** Throws an Error unless the call fails as expected. */
export async function expectError(calling: Promise<unknown>, expected: JsonObject): Promise<void> {
  const error = await calling.then(
    () => undefined,
    (thrown: unknown) => thrown as Error,
  );
  if (error === undefined) {
    throw new Error(`expected ${JSON.stringify(expected)}, but it succeeded`);
  }
  if (!(error instanceof MemorydError)) {
    throw new Error(`expected ${JSON.stringify(expected)}, got ${error.message}`, { cause: error });
  }
  const { code = null, reason, metadata, fields, message } = error;
  const [field] = Object.keys(fields);
  const actual = { code, reason, metadata: { ...metadata }, ...(field === undefined ? {} : { field }) };
  const found = difference(expected, actual, "error.");
  if (found !== undefined) {
    throw new Error(`${found} (${message})`);
  }
}

function isService(exported: unknown): exported is DescService {
  return typeof exported === "object" && exported !== null && "kind" in exported && exported.kind === "service";
}

function methodOf(name: string): { service: DescService; method: DescMethodUnary } {
  const [serviceName = "", methodName] = name.split(".");
  const service = SERVICES.get(serviceName);
  const method = service?.methods.find((found) => found.name === methodName);
  if (!service || method?.methodKind !== "unary") {
    throw new Error(`unknown unary method: ${name}`);
  }
  return { service, method: method as DescMethodUnary };
}
