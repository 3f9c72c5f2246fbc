import type * as z from 'zod';
import { digestOf } from '../../core/data/digest.ts';

/** Answers of earlier runs, by keys of 64 hexadecimal digits. What goes wrong with it is never thrown. */
export interface AnswerStore {
  /** Undefined where there is none, or none that can be used. */
  load(key: string): Promise<unknown>;
  save(key: string, answer: unknown): void;
  forget(key: string): void;
}

/**
 * What one repetition of a case finds among the answers of earlier runs. Whoever asks the same again
 * wants another answer: each repetition, and each time that it asks, has answers of its own.
 */
export class Lookup {
  readonly #store: AnswerStore;
  readonly #repetition: number;
  readonly #asked = new Map<string, number>();

  /** @param repetition from 1 */
  constructor(store: AnswerStore, repetition: number) {
    this.#store = store;
    this.#repetition = repetition;
  }

  /** Keys of so many answers to a question: the next ones, if it was asked before. */
  keysOf(question: object, count = 1): string[] {
    const digest = digestOf(question);
    const first = this.#asked.get(digest) ?? 0;
    this.#asked.set(digest, first + count);
    return Array.from({ length: count }, (_, index) =>
      digestOf({ question: digest, repetition: this.#repetition, sample: first + index }),
    );
  }

  /** What does not fit the schema counts as nothing. */
  async load<Schema extends z.ZodType>(
    key: string,
    schema: Schema,
  ): Promise<z.infer<Schema> | undefined> {
    const found = await this.#store.load(key);
    return found === undefined ? undefined : schema.safeParse(found).data;
  }

  save(key: string, answer: unknown): void {
    this.#store.save(key, answer);
  }

  forget(key: string): void {
    this.#store.forget(key);
  }
}
