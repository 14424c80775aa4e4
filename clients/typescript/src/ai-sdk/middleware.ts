import type { LanguageModelV4CallOptions, LanguageModelV4Middleware, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Agent } from "../agent.js";
import { RecordExists } from "../errors.js";
import type { ContextSection, MessageDraft } from "../kinds/inputs.js";
import { Answer } from "./answer.js";
import { draftsOf, newMessages, questionIn, withContext, wordsOf } from "./messages.js";

/** The options of {@link memoryMiddleware}. */
export interface MemoryMiddlewareOptions {
  /** The conversation to which the messages of the user, the model and the tools are appended. Default: none. */
  readonly conversationId?: string;
  /**
   * The sections of the context. Default: notes, documents and memories, and of the conversation its plan and entities.
   * Its messages are not among them, since the prompt has them.
   */
  readonly sections?: readonly ContextSection[];
  /** The budget of the context in tokens. Default: that of the agent, or the daemon's limit. */
  readonly maxTokens?: number;
  /** The model that tokens are counted for, such as "gpt-5". Default: that of the agent, or an estimate. */
  readonly model?: string;
  /** If true, what the user says is remembered as long-term memories. Default: true. */
  readonly remembers?: boolean;
  /**
   * Receives an error of the daemon, and the call of the model goes on without what failed. Default: the call of the
   * model is rejected with it.
   */
  readonly onError?: (error: unknown) => void;
}

/**
 * Returns middleware of the AI SDK that gives a model the memory of an agent, for `wrapLanguageModel`.
 *
 * Before each call, it composes a context for the user's last message, and puts it behind the system prompt. After each
 * call, it appends the messages that are new since the model's last answer, and the answer, to the conversation as one
 * change, and remembers what the user has said. A stream ends when that is stored. A call that fails, and a stream that is
 * cancelled, store nothing. The memories are those of the user to whom the agent is bound.
 */
export function memoryMiddleware(agent: Agent, options: MemoryMiddlewareOptions = {}): LanguageModelV4Middleware {
  const memory = new PromptMemory(agent, options);
  return {
    specificationVersion: "v4",
    transformParams: async ({ params }) => memory.addTo(params),
    wrapGenerate: async ({ doGenerate, params }) => {
      const result = await doGenerate();
      await memory.store(params, new Answer(result.content));
      return result;
    },
    wrapStream: async ({ doStream, params }) => {
      const { stream, ...rest } = await doStream();
      return { ...rest, stream: Answer.within(stream, async (answer) => memory.store(params, answer)) };
    },
  };
}

class PromptMemory {
  readonly #agent: Agent;
  readonly #options: MemoryMiddlewareOptions;
  /** The prompts without the contexts that were added to them, by their calls. */
  readonly #prompts = new WeakMap<LanguageModelV4CallOptions, LanguageModelV4Prompt>();
  #created: Promise<void> | undefined;

  constructor(agent: Agent, options: MemoryMiddlewareOptions) {
    this.#agent = agent;
    this.#options = options;
  }

  /** Returns the parameters of a call with the context in their prompt. */
  async addTo(params: LanguageModelV4CallOptions): Promise<LanguageModelV4CallOptions> {
    const { prompt, abortSignal } = params;
    const context = await this.#guarded(async () => this.#compose(questionIn(prompt), abortSignal));
    const changed = { ...params, prompt: withContext(prompt, context ?? []) };
    this.#prompts.set(changed, prompt);
    return changed;
  }

  /** Stores what was said in a call, and what the user said as memories. */
  async store(params: LanguageModelV4CallOptions, answer: Answer): Promise<void> {
    const said = newMessages(this.#prompts.get(params) ?? params.prompt);
    await this.#guarded(async () => this.#append([...said.flatMap(draftsOf), ...answer.drafts()]));
    if (this.#options.remembers ?? true) {
      await this.#guarded(async () => this.#remember(said.flatMap(wordsOf)));
    }
  }

  async #compose(query: string, signal: AbortSignal | undefined) {
    const { conversationId, sections = defaultSections(conversationId), maxTokens, model } = this.#options;
    const { messages } = await this.#agent.compose({
      sections,
      query,
      ...(conversationId !== undefined && { conversationId }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...(model !== undefined && { model }),
      ...(signal && { signal }),
    });
    return messages;
  }

  async #append(drafts: readonly MessageDraft[]): Promise<void> {
    const { conversationId } = this.#options;
    if (conversationId === undefined || drafts.length === 0) {
      return;
    }
    if (this.#agent.userId !== undefined) {
      this.#created ??= this.#create(conversationId);
      await this.#created.catch((error: unknown) => {
        this.#created = undefined;
        throw error;
      });
    }
    await this.#agent.conversations.append(conversationId, drafts);
  }

  /** Creates the conversation of the user: one that an append creates would be of no user. */
  async #create(conversationId: string): Promise<void> {
    try {
      await this.#agent.conversations.create({ conversationId });
    } catch (error) {
      if (!(error instanceof RecordExists)) {
        throw error;
      }
    }
  }

  async #remember(words: readonly string[]): Promise<void> {
    const { conversationId } = this.#options;
    if (words.length > 0) {
      const origin = conversationId === undefined ? {} : { provenance: { conversationId } };
      await this.#agent.memories.createMany(words.map((content) => ({ content, ...origin })));
    }
  }

  async #guarded<T>(step: () => Promise<T>): Promise<T | undefined> {
    const { onError } = this.#options;
    if (!onError) {
      return step();
    }
    try {
      return await step();
    } catch (error) {
      onError(error);
      return undefined;
    }
  }
}

function defaultSections(conversationId: string | undefined): ContextSection[] {
  const ofConversation = conversationId === undefined ? [] : [{ plan: {} }, { entities: {} }];
  return [{ notes: {} }, { documents: {} }, ...ofConversation, { memories: {} }];
}
