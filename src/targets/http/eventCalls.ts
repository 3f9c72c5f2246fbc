import { callPieceSchema, StreamedCalls } from '../../models/openai/streamedCalls.ts';

/** The tool calls of a stream: in pieces, as OpenAI's chat format has them, or whole. */
export class EventCalls {
  readonly #streamed = new StreamedCalls();
  readonly #whole: unknown[] = [];

  add(value: unknown): void {
    if (value === undefined || value === null) return;
    for (const item of Array.isArray(value) ? value : [value]) {
      const piece = callPieceSchema.safeParse(item).data;
      if (typeof piece?.index === 'number' && piece.function) this.#streamed.add(piece);
      else this.#whole.push(item);
    }
  }

  all(): readonly unknown[] {
    return [...this.#streamed.calls, ...this.#whole];
  }
}
