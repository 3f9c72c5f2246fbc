import * as vscode from 'vscode';
import type { Turn } from '../core/conversation.ts';
import { unreachable } from '../core/errors.ts';
import { type CaseRef, executionKey } from '../core/identity.ts';
import type { Verdict } from '../core/verdict.ts';
import type { RunEvent } from '../runner/events.ts';
import { Disposing } from './disposables.ts';

/** A case that is running, or ran in this session. */
export interface LiveCase {
  readonly phase: 'queued' | 'running' | 'finished' | 'cancelled';
  readonly turns: readonly Turn[];
  /** The turn that is still incomplete. */
  readonly speaking?: Turn | undefined;
  readonly verdicts: readonly Verdict[];
}

/** The state of cases that run in this session, for the conversation view. */
export class LiveRuns extends Disposing {
  readonly #cases = new Map<string, LiveCase>();
  readonly #changed = this.keep(new vscode.EventEmitter<CaseRef>());
  readonly onDidChange = this.#changed.event;

  get(ref: CaseRef): LiveCase | undefined {
    return this.#cases.get(executionKey(ref));
  }

  handle(event: RunEvent): void {
    switch (event.kind) {
      case 'run-started':
        for (const ref of event.cases) this.#set(ref, { phase: 'queued', turns: [], verdicts: [] });
        break;
      case 'case-started':
        this.#set(event.ref, { phase: 'running', turns: [], verdicts: [] });
        break;
      case 'speaking':
        this.#change(event.ref, () => ({ speaking: event.turn }));
        break;
      case 'turn':
        this.#change(event.ref, ({ turns }) => ({
          turns: [...turns, event.turn],
          speaking: undefined,
        }));
        break;
      case 'verdict':
        this.#change(event.ref, ({ verdicts }) => ({ verdicts: [...verdicts, event.verdict] }));
        break;
      case 'case-finished':
        this.#change(event.ref, () => ({ speaking: undefined, phase: 'finished' }));
        break;
      case 'output':
      case 'run-finished':
        break;
      default:
        unreachable(event);
    }
  }

  /** Announces a case's result from another process. */
  notify(ref: CaseRef): void {
    this.#changed.fire(ref);
  }

  /** Marks the unfinished cases of a run as canceled. */
  end(refs: readonly CaseRef[]): void {
    for (const ref of refs) {
      const live = this.get(ref);
      if (live && live.phase !== 'finished') this.#set(ref, { ...live, phase: 'cancelled' });
    }
  }

  #change(ref: CaseRef, change: (live: LiveCase) => Partial<LiveCase>): void {
    const live = this.get(ref) ?? { phase: 'running', turns: [], verdicts: [] };
    this.#set(ref, { ...live, ...change(live) });
  }

  #set(ref: CaseRef, live: LiveCase): void {
    this.#cases.set(executionKey(ref), live);
    this.#changed.fire(ref);
  }
}
