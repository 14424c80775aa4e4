import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Document } from "#protos/memoryd/v1/document_pb";
import {
  DocumentService,
  UploadDocumentHeaderSchema,
  type UploadDocumentRequestSchema,
} from "#protos/memoryd/v1/document_service_pb";
import type { CreateDocumentOptions } from "./documents.js";
import { Kind, present } from "./kind.js";
import { requestOf } from "./request.js";

type UploadMessage = MessageInitShape<typeof UploadDocumentRequestSchema>;

const PART_BYTES = 1024 * 1024;

/** The options of an upload. Its `timeoutMs` is none by default. */
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
   * @throws RecordExists, TooLarge, QuotaExceeded, and DocumentUnreadable if no text can be extracted from the file.
   */
  async upload(file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options: UploadOptions = {}): Promise<Document> {
    const { signal, timeoutMs, progress, requestId, mustExist, expectedRevision, ...draft } = options;
    const create = { userId: this.subject.userId, ...draft };
    const fields = { create, requestId, agentCondition: { mustExist, expectedRevision } };
    const header = requestOf(UploadDocumentHeaderSchema, this.subject, fields, {});
    const messages = messagesOf({ case: "header", value: header }, file, progress);
    const limits = { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
    const response = await this.transport.stub(DocumentService).uploadDocument(messages, limits);
    return present(response.document);
  }
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
