import { createParser } from 'eventsource-parser';
import * as z from 'zod';
import { isMapping, parseJson } from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';

const DONE = '[DONE]';

/** Assembles a streamed answer into the body that an unstreamed answer would have. */
export interface Collector {
  add(event: unknown): void;
  body(): unknown;
}

export class StreamReader {
  /** Number of events received so far. */
  events = 0;
  readonly #collector: Collector;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({ onEvent: ({ data }) => this.#add(data) });

  constructor(collector: Collector) {
    this.#collector = collector;
  }

  add(chunk: Uint8Array): void {
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
  }

  /** The body as JSON text. */
  body(): string {
    // Some endpoints omit the empty line after the last event.
    this.#parser.feed('\n\n');
    return JSON.stringify(this.#collector.body());
  }

  #add(data: string): void {
    this.events += 1;
    if (this.events > LIMITS.events) return;
    const event = data === DONE ? undefined : parseJson(data);
    if (event !== undefined) this.#collector.add(event);
  }
}

export const callPieceSchema = z.object({
  index: z.int().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});

const chunkSchema = z.object({
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            tool_calls: z.array(callPieceSchema).nullish(),
          })
          .nullish(),
      }),
    )
    .nullish(),
  usage: z.unknown().optional(),
});

/** Collects Chat Completions with one choice. @param onText called with all text received so far */
export function chatCollector(onText: (soFar: string) => void): Collector {
  const message = { content: '', refusal: '' };
  const streamed = new StreamedCalls();
  const whole: Record<string, unknown> = {};
  let finish: string | null | undefined;
  let failure: object | undefined;

  return {
    add(event) {
      if (isMapping(event) && event.error) failure = event;
      const chunk = chunkSchema.safeParse(event).data;
      if (!chunk) return;
      whole.model ??= chunk.model;
      whole.usage = chunk.usage ?? whole.usage;
      const [choice] = chunk.choices ?? [];
      finish = choice?.finish_reason ?? finish;
      const { content, refusal, tool_calls } = choice?.delta ?? {};
      message.refusal += refusal ?? '';
      for (const call of tool_calls ?? []) streamed.add(call);
      if (!content) return;
      message.content += content;
      onText(message.content);
    },
    body() {
      if (failure) return failure;
      const { calls } = streamed;
      if (finish === undefined && message.content === '' && calls.length === 0) return {};
      return {
        ...whole,
        choices: [{ message: { ...message, tool_calls: calls }, finish_reason: finish }],
      };
    },
  };
}

const deltaSchema = z.object({ type: z.literal('response.output_text.delta'), delta: z.string() });
const endSchema = z.object({
  type: z.enum(['response.completed', 'response.incomplete', 'response.failed']),
  response: z.unknown().optional(),
});

/** Collects answers from the Responses API, whose last event contains everything. @param onText see `chatCollector` */
export function responseCollector(onText: (soFar: string) => void): Collector {
  let text = '';
  let whole: unknown = {};
  return {
    add(event) {
      const delta = deltaSchema.safeParse(event).data?.delta;
      const end = endSchema.safeParse(event).data;
      if (end) whole = end.response;
      else if (isMapping(event) && event.type === 'error') whole = { error: event };
      if (delta === undefined) return;
      text += delta;
      onText(text);
    },
    body: () => whole,
  };
}

export class StreamedCalls {
  readonly calls: { id?: string; function: { name: string; arguments: string } }[] = [];

  add({ index, id, function: part }: z.infer<typeof callPieceSchema>): void {
    const at = index ?? this.calls.length;
    const call = this.calls[at] ?? { function: { name: '', arguments: '' } };
    if (id) call.id = id;
    call.function.name ||= part?.name ?? '';
    call.function.arguments += part?.arguments ?? '';
    // A large index would create a sparse array.
    if (at <= this.calls.length) this.calls[at] = call;
  }
}
