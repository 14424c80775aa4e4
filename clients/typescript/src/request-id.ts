import { clone, type DescMessage, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { Interceptor } from "@connectrpc/connect";

/** Gives each change an id that is the same in all its attempts, so that a retry never applies a change twice. */
export const requestIdInterceptor: Interceptor = (next) => (req) =>
  next(req.stream ? req : { ...req, message: withRequestId(req.method.input, req.message) });

/** Returns the message with a request id of 128 random bits, unless it has one or has no field for one. */
export function withRequestId(schema: DescMessage, message: Message): Message {
  const field = requestIdField(schema);
  if (field === undefined || reflect(schema, message).get(field) !== "") {
    return message;
  }
  // Set the id in a copy: the caller may use the message again for another change.
  const identified = clone(schema, message);
  reflect(schema, identified).set(field, newRequestId());
  return identified;
}

/** Returns 128 random bits. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function requestIdField(schema: DescMessage) {
  return schema.fields.find((field) => field.name === "request_id");
}
