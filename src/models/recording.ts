import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ReasonedError } from '../core/errors.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { toUnwritableError, type UnwritableError } from '../disk/fileErrors.ts';
import {
  embeddingExchangeRequest,
  exchangeKey,
  modelExchangeRequest,
  type NewExchange,
} from './exchange.ts';
import { type Model, ModelError } from './model.ts';

/** Thrown if a recording can't be read. `message` names the file and, if there is one, the invalid line. */
export class RecordingError extends ReasonedError<'missing' | 'broken-line'> {
  override readonly name = 'RecordingError';
}

const LABEL = 'The recording';

/** Writes exchanges, one per line, in the order in which they end. */
export interface Recorder {
  /** Resolves when the line is on disk, or if an earlier write has failed. */
  write(exchange: NewExchange): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a recording. An existing recording is replaced, because its answers would otherwise come before the new ones.
 *
 * @param path absolute path
 * @param onWriteError called once; nothing more is written after that
 * @throws UnwritableError
 */
export async function openRecorder(
  path: string,
  scrubber: Scrubber,
  onWriteError: (error: UnwritableError) => void,
): Promise<Recorder> {
  let file: FileHandle;
  try {
    await mkdir(dirname(path), { recursive: true });
    file = await open(path, 'w');
  } catch (error) {
    throw toUnwritableError(LABEL, path, error);
  }
  let hasFailed = false;
  let last: Promise<void> = Promise.resolve();

  return {
    write: ({ kind, request, ...result }) => {
      const exchange = { kind, key: exchangeKey(request), request, ...result };
      const line = `${scrubber.json(exchange)}\n`;
      last = last
        .then(() => (hasFailed ? undefined : file.appendFile(line)))
        .catch((error: unknown) => {
          hasFailed = true;
          onWriteError(toUnwritableError(LABEL, path, error));
        });
      return last;
    },
    close: async () => {
      await last;
      await file.close();
    },
  };
}

/** A model that records its exchanges, unless they are canceled. */
export function recordingModel(model: Model, recorder: Recorder): Model {
  const { embed } = model;
  return {
    id: model.id,
    async complete(request, count, signal) {
      const exchange = { kind: 'model', request: modelExchangeRequest(model.id, request) } as const;
      const work = model.complete(request, count, signal);
      const replies = await recordErrors(work, ModelError, recorder, exchange);
      for (const { thoughts: _, unscrubbed: __, past, ...reply } of replies) {
        const usage = past?.usage ?? reply.usage;
        await recorder.write({ ...exchange, reply: { ...reply, usage } });
      }
      return replies;
    },
    ...(model.discard && { discard: (reply) => model.discard?.(reply) }),
    ...(embed && {
      async embed(texts, signal) {
        const request = embeddingExchangeRequest(model.id, texts);
        const exchange = { kind: 'embedding', request } as const;
        const work = embed.call(model, texts, signal);
        const reply = await recordErrors(work, ModelError, recorder, exchange);
        const { vectors, usage, past } = reply;
        await recorder.write({ ...exchange, reply: { vectors, usage: past?.usage ?? usage } });
        return reply;
      },
    }),
  };
}

/** The work's result. Errors of this class are recorded before they are thrown. */
export async function recordErrors<Reply>(
  work: Promise<Reply>,
  recorded: new (...args: never[]) => ReasonedError<string>,
  recorder: Recorder,
  exchange: Pick<NewExchange, 'kind' | 'request'>,
): Promise<Reply> {
  return work.catch(async (error: unknown) => {
    if (error instanceof recorded) {
      const { reason, message } = error;
      await recorder.write({ ...exchange, error: { reason, message } } as NewExchange);
    }
    throw error;
  });
}
