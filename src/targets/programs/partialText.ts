import { isMapping } from '../../core/data/data.ts';
import { checkLength } from '../replyLimits.ts';
import type { OnText } from '../target.ts';

/** Joins the pieces of a reply that arrives in parts. */
export class PartialText {
  readonly #onText: OnText | undefined;
  #text = '';

  constructor(onText: OnText | undefined) {
    this.#onText = onText;
  }

  /** @throws TargetError if the text is too long */
  add(delta: string): void {
    this.#text += delta;
    checkLength(this.#text.length);
    this.#onText?.(this.#text);
  }
}

/** The text in `{"delta": "Order 98"}`, a line that a program prints before its reply; undefined for other lines. */
export function deltaOf(value: unknown): string | undefined {
  if (!isMapping(value) || typeof value.delta !== 'string') return undefined;
  return Object.keys(value).length === 1 ? value.delta : undefined;
}
