import type { Turn } from '../../core/conversation.ts';
import { Throttle } from '../../core/scheduling.ts';
import type { Scrubber } from '../../core/scrubber.ts';

/** Milliseconds between two looks at a reply: as often as a person can follow. */
const PACE = 100;

/** Tells a reply while it arrives, each time as the turn that it is so far. */
export class Speaking {
  readonly #tell: (turn: Turn) => void;
  readonly #scrubber: Scrubber;
  #text = '';
  readonly #throttle = new Throttle(PACE, () => this.#say());
  #turn: Pick<Turn, 'number' | 'source'> = { number: 1 };

  constructor(tell: (turn: Turn) => void, scrubber: Scrubber) {
    this.#tell = tell;
    this.#scrubber = scrubber;
  }

  /** @param before the user's turn that the reply is to */
  begin({ number, source }: Pick<Turn, 'number' | 'source'>): void {
    this.end();
    this.#turn = { number: number + 1, ...(source && { source }) };
  }

  readonly hear = (soFar: string): void => {
    this.#text = soFar;
    this.#throttle.schedule();
  };

  /** The reply is there, or will never be. */
  end(): void {
    this.#throttle.dispose();
  }

  #say(): void {
    const text = this.#scrubber.beginning(this.#text);
    if (text === '') return;
    this.#tell({ kind: 'turn', ...this.#turn, side: 'assistant', items: [{ kind: 'text', text }] });
  }
}
