import type { Turn } from '../../core/conversation.ts';
import type { Status } from '../../core/verdict.ts';
import { caseEnd, caseOutput, turnOutput } from './output.ts';

const LINE_END = '\r\n';

/** The output of the only case that runs: shown as it comes, replies line by line. */
export class LiveOutput {
  readonly #name: string;
  readonly #append: (text: string) => void;
  /** What of the turn that is being said is shown already. */
  #shown = '';

  /** @param said of the case up to now */
  constructor(name: string, said: readonly string[], append: (text: string) => void) {
    this.#name = name;
    this.#append = append;
    append(caseOutput(name, said).slice(0, -LINE_END.length));
  }

  /** The last line may still change where it breaks, so it is left for later. */
  speaking(turn: Turn): void {
    const output = turnOutput(turn);
    const whole = output.slice(
      0,
      output.lastIndexOf(LINE_END, -LINE_END.length - 1 + output.length) + LINE_END.length,
    );
    if (!whole.startsWith(this.#shown)) return;
    this.#append(whole.slice(this.#shown.length));
    this.#shown = whole;
  }

  turn(turn: Turn): void {
    const output = turnOutput(turn);
    this.say(output.startsWith(this.#shown) ? output.slice(this.#shown.length) : output);
    this.#shown = '';
  }

  say(text: string): void {
    this.#append(text);
  }

  end(status: Status | undefined): void {
    this.#append(`${status ? caseEnd(this.#name, status) : ''}${LINE_END}`);
  }
}
