import { toConversation, turnsOf } from '../core/conversation.ts';
import { type CaseRef, executionKey } from '../core/identity.ts';
import { executionTitle } from '../core/presentation/executionTitle.ts';
import { visibleLine } from '../core/presentation/visibleText.ts';
import type { SuiteCase } from '../core/suite.ts';
import { unreachable } from '../core/unreachable.ts';
import type { RunEvent } from '../runner/events.ts';

interface Running {
  readonly ref: CaseRef;
  readonly case: SuiteCase;
  turn: number;
  readonly judged: Set<number>;
}

/** Which cases are running, and the turn or assertion that each is at. */
export class Progress {
  readonly #running = new Map<string, Running>();
  #finished = 0;
  #planned = 0;

  add(event: RunEvent): void {
    switch (event.kind) {
      case 'run-started':
        this.#planned = event.cases.length;
        break;
      case 'case-started':
        this.#running.set(executionKey(event.ref), {
          ref: event.ref,
          case: event.case,
          turn: 0,
          judged: new Set(),
        });
        break;
      case 'turn': {
        const running = this.#running.get(executionKey(event.ref));
        if (running) running.turn = event.turn.number;
        break;
      }
      case 'verdict':
        this.#running.get(executionKey(event.ref))?.judged.add(event.verdict.assertion.index);
        break;
      case 'case-finished':
        this.#running.delete(executionKey(event.ref));
        this.#finished += 1;
        break;
      case 'speaking':
      case 'output':
      case 'run-finished':
        break;
      default:
        unreachable(event);
    }
  }

  /** One line per running case, and one for the whole. */
  lines(width: number): string[] {
    const running = [...this.#running.values()].map((one) => visibleLine(describe(one), width));
    return [...running, visibleLine(`${this.#finished} of ${this.#planned} cases finished`, width)];
  }
}

function describe({ ref, case: suiteCase, turn, judged }: Running): string {
  const { times } = suiteCase.repeat;
  const title = executionTitle({ ...ref, repetitions: times });
  const last = lastTurn(suiteCase);
  if (judged.size === 0 && turn < last) return `… ${title}  turn ${turn + 1}`;
  const next = suiteCase.assertions.find(({ index }) => !judged.has(index));
  return next ? `… ${title}  judging ${next.name}` : `… ${title}  finishing`;
}

/** A live case takes two turns for each of the user's; a transcript is all there at once. */
function lastTurn({ origin }: SuiteCase): number {
  if (origin.kind === 'transcript') return 0;
  const before = turnsOf(toConversation(origin.history?.messages ?? [])).length;
  const live = origin.kind === 'turns' ? origin.turns.length : origin.user.maxUserTurns;
  return before + live * 2;
}
