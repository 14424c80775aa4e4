import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Document } from "#protos/memoryd/v1/document_pb";
import {
  DocumentService,
  UploadDocumentHeaderSchema,
  type UploadDocumentRequestSchema,
} from "#protos/memoryd/v1/document_service_pb";
import { TooLarge } from "../errors.js";
import { about } from "../user.js";
import type { CreateDocumentOptions } from "./documents.js";
import { Kind, present } from "./kind.js";
import { requestOf } from "./request.js";

type UploadMessage = MessageInitShape<typeof UploadDocumentRequestSchema>;

const PART_BYTES = 1024 * 1024;
/** Maximum size of a file that is sent in one request: no daemon receives a larger one. */
const WHOLE_BYTES_MAX = 16 * 1024 * 1024;
const WHOLE_TIMEOUT_MS = 120_000;

/** The options of an upload. Its `timeoutMs` is none by default, in a web page 120,000. */
export interface UploadOptions extends Omit<CreateDocumentOptions, "text" | "data" | "url"> {
  /** Receives the number of bytes that were sent so far. */
  readonly progress?: (bytes: number) => void;
}

/** The part of the documents' wrapper that is written by hand. */
export abstract class Uploading extends Kind {
  /**
   * Creates a document from a file of any size, such as of `fs.createReadStream`, which is sent in parts. An upload is
   * never sent again by the client. To repeat one that has failed, give both the same `requestId`.
   *
   * A web page cannot send parts: there the file is sent as a whole, as by `create`, and one of more than 16 MiB is
   * refused.
   *
   * @throws RecordExists, TooLarge, QuotaExceeded, and DocumentUnreadable if no text can be extracted from the file.
   */
  async upload(file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options: UploadOptions = {}): Promise<Document> {
    if (!this.transport.link.sendsStreams) {
      return this.#uploadWhole(file, options);
    }
    const { signal, timeoutMs, progress, requestId, mustExist, expectedRevision, ...draft } = options;
    const create = about(this.subject.userId, draft);
    const fields = { create, requestId, agentCondition: { mustExist, expectedRevision } };
    const header = requestOf(UploadDocumentHeaderSchema, this.subject, fields, {});
    const messages = messagesOf({ case: "header", value: header }, file, progress);
    const limits = { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
    const response = await this.transport.stub(DocumentService).uploadDocument(messages, limits);
    return present(response.document);
  }

  async #uploadWhole(
    file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    { progress, timeoutMs = WHOLE_TIMEOUT_MS, ...draft }: UploadOptions,
  ): Promise<Document> {
    const data = await wholeOf(file);
    const response = await this.call(DocumentService.method.createDocument, { ...draft, data, timeoutMs });
    progress?.(data.length);
    return present(response.document);
  }
}

async function wholeOf(file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of file) {
    pieces.push(piece);
    size += piece.length;
    if (size > WHOLE_BYTES_MAX) {
      throw new TooLarge(`a web page cannot upload a file of more than ${WHOLE_BYTES_MAX} bytes`);
    }
  }
  const whole = new Uint8Array(size);
  let begin = 0;
  for (const piece of pieces) {
    whole.set(piece, begin);
    begin += piece.length;
  }
  return whole;
}

async function* messagesOf(
  header: NonNullable<UploadMessage["part"]>,
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  progress: UploadOptions["progress"],
): AsyncGenerator<UploadMessage> {
  yield { part: header };
  let sent = 0;
  for await (const piece of file) {
    for (let begin = 0; begin < piece.length; begin += PART_BYTES) {
      const value = piece.subarray(begin, begin + PART_BYTES);
      yield { part: { case: "data", value } };
      sent += value.length;
      progress?.(sent);
    }
  }
}
