import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ReasonedError } from '../core/errors.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { type UnwritableError, unwritable } from '../disk/fileErrors.ts';
import {
  type EmbeddingExchangeRequest,
  type EmbeddingResult,
  embeddingExchangeRequest,
  exchangeKey,
  type ModelExchangeRequest,
  type ModelResult,
  modelExchangeRequest,
  type TargetExchangeRequest,
  type TargetResult,
} from './exchange.ts';
import { type Model, ModelError } from './model.ts';

type RecordingErrorReason = 'missing' | 'broken-line';

/** A recording could not be read. `message` names the file, and the line where one is wrong. */
export class RecordingError extends ReasonedError<RecordingErrorReason> {
  override readonly name = 'RecordingError';
}

const WHAT = 'The recording';

/** Writes exchanges, one line each, in the order in which they ended. */
export interface Recorder {
  /** Resolves once the line is on disk, or the recording is given up. */
  model(request: ModelExchangeRequest, result: ModelResult): Promise<void>;
  embedding(request: EmbeddingExchangeRequest, result: EmbeddingResult): Promise<void>;
  target(request: TargetExchangeRequest, result: TargetResult): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a recording; one that stands there already is replaced, since its answers would otherwise
 * come before the new ones.
 *
 * @param path absolute
 * @param onGivenUp told once that a line could not be written; no more are tried then
 * @throws UnwritableError
 */
export async function openRecorder(
  path: string,
  scrubber: Scrubber,
  onGivenUp: (error: UnwritableError) => void,
): Promise<Recorder> {
  let file: FileHandle;
  try {
    await mkdir(dirname(path), { recursive: true });
    file = await open(path, 'w');
  } catch (error) {
    throw unwritable(WHAT, path, error);
  }
  let givenUp = false;
  let last: Promise<void> = Promise.resolve();

  function append(exchange: object): Promise<void> {
    const line = `${scrubber.text(JSON.stringify(exchange))}\n`;
    last = last
      .then(() => (givenUp ? undefined : file.appendFile(line)))
      .catch((error: unknown) => {
        givenUp = true;
        onGivenUp(unwritable(WHAT, path, error));
      });
    return last;
  }

  return {
    model: (request, result) =>
      append({ kind: 'model', key: exchangeKey(request), request, ...result }),
    embedding: (request, result) =>
      append({ kind: 'embedding', key: exchangeKey(request), request, ...result }),
    target: (request, result) =>
      append({ kind: 'target', key: exchangeKey(request), request, ...result }),
    close: async () => {
      await last;
      await file.close();
    },
  };
}

/** The model, writing every exchange to the recorder. A cancelled request leaves no line. */
export function recordingModel(model: Model, recorder: Recorder): Model {
  const { embed } = model;
  return {
    id: model.id,
    async complete(request, count, signal) {
      const asked = modelExchangeRequest(model.id, request);
      const write = (result: ModelResult) => recorder.model(asked, result);
      const replies = await written(() => model.complete(request, count, signal), write);
      for (const { thoughts: _, past, ...reply } of replies) {
        await write({ reply: { ...reply, usage: past?.usage ?? reply.usage } });
      }
      return replies;
    },
    ...(model.disown && { disown: (reply) => model.disown?.(reply) }),
    ...(embed && {
      async embed(texts, signal) {
        const asked = embeddingExchangeRequest(model.id, texts);
        const write = (result: EmbeddingResult) => recorder.embedding(asked, result);
        const reply = await written(() => embed.call(model, texts, signal), write);
        const { vectors, usage, past } = reply;
        await write({ reply: { vectors, usage: past?.usage ?? usage } });
        return reply;
      },
    }),
  };
}

/** What the work gives; a model's error is written before it is thrown on. */
async function written<Reply>(
  work: () => Promise<Reply>,
  write: (result: { readonly error: { reason: string; message: string } }) => Promise<void>,
): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ModelError) {
      const { reason, message } = error;
      await write({ error: { reason, message } });
    }
    throw error;
  }
}
