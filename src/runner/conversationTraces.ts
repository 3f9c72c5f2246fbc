import { randomBytes } from 'node:crypto';
import { errorText } from '../core/errors.ts';
import type { TargetSpec } from '../core/suite.ts';
import { traceToken } from '../store/traceToken.ts';
import { TargetError } from '../targets/target.ts';
import { ConversationTrace, exportVariables } from '../traces/conversationTrace.ts';
import { addressOf, type TraceReceiver, useReceiver } from '../traces/receiver.ts';
import type { Span } from '../traces/spans.ts';
import { DEFAULT_TRACES_PORT, type RunOptions } from './runOptions.ts';

type Options = Pick<RunOptions, 'tracesPort' | 'traceSecretFile' | 'scrubber'>;

/**
 * Environment variables for a service that is already running when a run starts.
 *
 * @param secretFile see `traceSecretFile`
 */
export async function serviceVariables(
  secretFile: string,
  workspace: string,
  port: number,
): Promise<Record<string, string>> {
  const token = await traceToken(secretFile, workspace);
  return exportVariables(addressOf(port), token);
}

/** Lines such as `NAME=value`. */
export function linesOf(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** Receives the spans that services send with these variables, except those of runs. @throws Error */
export async function receiveSpans(
  secretFile: string,
  workspace: string,
  port: number,
  add: (span: Span) => void,
): Promise<{ readonly url: string; readonly stop: () => void }> {
  const token = await traceToken(secretFile, workspace);
  const { receiver, release } = await useReceiver(port);
  const end = receiver.routeToken(token, (span) => {
    if (!receiver.hasEnded(span.trace)) add(span);
  });
  const stop = () => {
    end();
    release();
  };
  return { url: receiver.url, stop };
}

/** The traces of a run's conversations, and the receivers of their spans. */
export class ConversationTraces {
  readonly #options: Options;
  /** The token for programs that serve several conversations. */
  readonly #token = randomBytes(16).toString('hex');
  readonly #receivers = new Map<number, ReturnType<typeof useReceiver>>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** @param wait see `traceWaitOf` @throws TargetError if spans can't be received */
  async open(target: TargetSpec, workspace: string, wait: number): Promise<ConversationTrace> {
    const { tracesPort = DEFAULT_TRACES_PORT, traceSecretFile } = this.#options;
    const isService = target.params.url !== undefined;
    try {
      // Programs receive the address when they start.
      const receiver = await this.#receiver(isService ? tracesPort : 0);
      if (isService && traceSecretFile !== undefined) {
        receiver.allow(await traceToken(traceSecretFile, workspace));
      }
      const isAlone = !isService && target.params.worker !== true;
      const setup = { wait, isAlone, url: receiver.url, token: this.#token };
      receiver.allow(this.#token);
      return new ConversationTrace(receiver, setup);
    } catch (error) {
      throw new TargetError('target-error', errorText(error));
    }
  }

  async #receiver(port: number): Promise<TraceReceiver> {
    const using = this.#receivers.get(port) ?? useReceiver(port);
    this.#receivers.set(port, using);
    return (await using).receiver;
  }

  close(): void {
    for (const using of this.#receivers.values()) {
      using.then(({ release }) => release()).catch(() => {});
    }
  }
}
