import type { LanguageModelV4Content, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { MessageDraft } from "../kinds/inputs.js";
import { answerOf } from "./messages.js";

/** What a model generates in one call. */
export class Answer {
  readonly #content: LanguageModelV4Content[];
  readonly #texts = new Map<string, { type: "text"; text: string }>();
  #isFinished = false;

  constructor(content: readonly LanguageModelV4Content[] = []) {
    this.#content = [...content];
  }

  /** Returns a stream with the same parts, which ends after `finished` has received the answer that they are. */
  static within(
    stream: ReadableStream<LanguageModelV4StreamPart>,
    finished: (answer: Answer) => Promise<void>,
  ): ReadableStream<LanguageModelV4StreamPart> {
    const answer = new Answer();
    const collecting = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
      transform: (part, controller) => {
        answer.#add(part);
        controller.enqueue(part);
      },
      flush: async () => {
        // A stream that breaks off has no last part.
        if (answer.#isFinished) {
          await finished(answer);
        }
      },
    });
    return stream.pipeThrough(collecting);
  }

  /** Returns the answer as a message of a conversation; none if nothing of it is kept. */
  drafts(): MessageDraft[] {
    return answerOf(this.#content);
  }

  #add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-start": {
        const text = { type: "text" as const, text: "" };
        this.#texts.set(part.id, text);
        this.#content.push(text);
        break;
      }
      case "text-delta": {
        const text = this.#texts.get(part.id);
        if (text) {
          text.text += part.delta;
        }
        break;
      }
      case "tool-call":
        this.#content.push(part);
        break;
      case "tool-result":
        if (!part.preliminary) {
          this.#content.push(part);
        }
        break;
      case "finish":
        this.#isFinished = true;
        break;
    }
  }
}
