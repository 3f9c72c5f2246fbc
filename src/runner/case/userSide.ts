import type { Conversation } from '../../core/conversation.ts';
import { unreachable } from '../../core/errors.ts';
import type { StopReason } from '../../core/record/runRecord.ts';
import {
  NO_SIMULATOR,
  type ScriptedTurn,
  type SimulateOrigin,
  type TurnsOrigin,
} from '../../core/suite.ts';
import { NO_USAGE, type Usage } from '../../core/verdict.ts';
import { Meter } from '../../judge/ask.ts';
import { type Model, ModelError } from '../../models/model.ts';
import { nextWords, type Playing } from '../../simulate/simulatedUser.ts';
import { stuckIn } from '../../simulate/stuck.ts';

/** Why a conversation ended. */
export interface Stop {
  readonly reason: StopReason;
  /** In the simulated user's own words. */
  readonly why?: string;
}

export type NextTurn =
  | { readonly kind: 'turn'; readonly turn: ScriptedTurn; readonly fromCache?: boolean }
  /** Without a reason where all was said. */
  | { readonly kind: 'over'; readonly stop?: Stop };

/** Who speaks for the user. */
export interface UserSide {
  /** @throws JudgeError, ModelError where a model that plays the user is of no use */
  next(said: Conversation, signal: AbortSignal): Promise<NextTurn>;
  /** Why there is no use in going on after a reply. */
  stuck(said: Conversation): 'empty-reply' | 'repetition' | undefined;
  /** What asking for the user's turns took. */
  readonly usage: Usage;
}

/** Says the scripted turns one by one. */
export class ScriptedUser implements UserSide {
  readonly usage = NO_USAGE;
  readonly #turns: readonly ScriptedTurn[];
  #said = 0;

  constructor({ turns }: TurnsOrigin) {
    this.#turns = turns;
  }

  async next(): Promise<NextTurn> {
    const turn = this.#turns[this.#said];
    this.#said += 1;
    return turn ? { kind: 'turn', turn } : { kind: 'over' };
  }

  /** What a target answers to a script is for the assertions. */
  stuck(): undefined {
    return undefined;
  }
}

/** Says the opening, then asks a model for each turn. */
export class ModelledUser implements UserSide {
  readonly #origin: SimulateOrigin;
  readonly #playing: Playing;
  readonly #modelFor: (origin: SimulateOrigin) => Promise<Model> | undefined;
  readonly #meter = new Meter();
  #said = 0;

  constructor(
    origin: SimulateOrigin,
    playing: Playing,
    modelFor: (origin: SimulateOrigin) => Promise<Model> | undefined,
  ) {
    this.#origin = origin;
    this.#playing = playing;
    this.#modelFor = modelFor;
  }

  get usage(): Usage {
    return this.#meter.usage;
  }

  async next(said: Conversation, signal: AbortSignal): Promise<NextTurn> {
    const { user } = this.#origin;
    if (this.#said === user.maxUserTurns) return { kind: 'over', stop: { reason: 'max-turns' } };
    const opening = user.opening[this.#said];
    this.#said += 1;
    if (opening) return { kind: 'turn', turn: opening };
    const model = await this.#modelFor(this.#origin);
    if (!model) throw new ModelError('bad-request', NO_SIMULATOR);
    const { onReply } = this.#meter;
    const { calls } = this.#meter.usage;
    const words = await nextWords(user, said, model, this.#playing, signal, onReply);
    switch (words.kind) {
      case 'said':
        return {
          kind: 'turn',
          turn: { user: words.text, source: user.source },
          fromCache: this.#meter.usage.calls === calls,
        };
      case 'over':
        return { kind: 'over', stop: { reason: words.stop, why: words.why } };
      default:
        return unreachable(words);
    }
  }

  stuck(said: Conversation) {
    return stuckIn(said);
  }
}
