import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { ReasonedError } from '../core/reasonedError.ts';
import {
  type AnyExchangeRequest,
  type EmbeddingExchangeRequest,
  type EmbeddingOutcome,
  type Exchange,
  embeddingExchangeRequest,
  exchangeKey,
  exchangeSchema,
  type ModelExchangeRequest,
  type ModelOutcome,
  modelExchangeRequest,
  type RecordedExchange,
  type TargetExchangeRequest,
  type TargetOutcome,
} from './exchange.ts';
import { describeMiss } from './missedRequest.ts';
import { type Model, ModelError, modelErrorReasons, oneByOne } from './model.ts';

export type RecordingErrorReason = 'missing' | 'broken-line' | 'unwritable';

/** A recording could not be read or written. `message` names the file, and the line where one is wrong. */
export class RecordingError extends ReasonedError<RecordingErrorReason> {
  override readonly name = 'RecordingError';
}

/** Writes exchanges, one line each, in the order in which they ended. */
export interface Recorder {
  /** Resolves once the line is on disk. @throws RecordingError */
  model(request: ModelExchangeRequest, outcome: ModelOutcome): Promise<void>;
  embedding(request: EmbeddingExchangeRequest, outcome: EmbeddingOutcome): Promise<void>;
  target(request: TargetExchangeRequest, outcome: TargetOutcome): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a recording; one that stands there already is replaced, since its answers would otherwise
 * come before the new ones.
 *
 * @param path absolute
 * @throws RecordingError
 */
export async function openRecorder(path: string): Promise<Recorder> {
  let file: FileHandle;
  try {
    await mkdir(dirname(path), { recursive: true });
    file = await open(path, 'w');
  } catch (error) {
    throw unwritable(path, error);
  }
  let last: Promise<void> = Promise.resolve();

  function append(exchange: object): Promise<void> {
    const line = `${JSON.stringify(exchange)}\n`;
    const written = last
      .then(() => file.appendFile(line))
      .catch((error: unknown) => {
        throw unwritable(path, error);
      });
    // A failed line is told to whoever wrote it; the next one is tried all the same.
    last = written.catch(() => {});
    return written;
  }

  return {
    model: (request, outcome) =>
      append({ kind: 'model', key: exchangeKey(request), request, ...outcome }),
    embedding: (request, outcome) =>
      append({ kind: 'embedding', key: exchangeKey(request), request, ...outcome }),
    target: (request, outcome) =>
      append({ kind: 'target', key: exchangeKey(request), request, ...outcome }),
    close: async () => {
      await last;
      await file.close();
    },
  };
}

function unwritable(path: string, error: unknown): RecordingError {
  if (error instanceof RecordingError) return error;
  const words = error instanceof Error ? error.message : String(error);
  return new RecordingError('unwritable', `The recording ${path} cannot be written: ${words}.`);
}

/** Answers from a recording. */
export interface Player {
  /** @throws ModelError `not-recorded` */
  model(request: ModelExchangeRequest): ModelOutcome;
  /** @throws ModelError `not-recorded` */
  embedding(request: EmbeddingExchangeRequest): EmbeddingOutcome;
  /** @throws ModelError `not-recorded` */
  target(request: TargetExchangeRequest): TargetOutcome;
}

/**
 * Reads a recording. A request recorded several times is answered in that order; asked more often
 * than recorded, with the last answer.
 *
 * @param path absolute
 * @throws RecordingError naming file and line
 */
export async function openPlayer(path: string): Promise<Player> {
  const exchanges = parseRecording(await readRecording(path), path);
  const answers = new Map<string, RecordedExchange[]>();
  for (const recorded of exchanges) {
    const { key } = recorded.exchange;
    answers.set(key, [...(answers.get(key) ?? []), recorded]);
  }
  const asked = new Map<string, number>();

  function next(request: AnyExchangeRequest): Exchange {
    const key = exchangeKey(request);
    const found = answers.get(key);
    const count = asked.get(key) ?? 0;
    asked.set(key, count + 1);
    const recorded = found?.[count] ?? found?.at(-1);
    if (recorded) return recorded.exchange;
    throw new ModelError('not-recorded', describeMiss(request, exchanges, path));
  }

  return {
    model: (request) => outcomeOf(next(request)) as ModelOutcome,
    embedding: (request) => outcomeOf(next(request)) as EmbeddingOutcome,
    target: (request) => outcomeOf(next(request)) as TargetOutcome,
  };
}

function outcomeOf(exchange: Exchange) {
  if (exchange.error) return { error: exchange.error };
  return { reply: exchange.reply };
}

async function readRecording(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    throw new RecordingError('missing', `The recording ${path} cannot be read: ${words}.`);
  }
}

/** @throws RecordingError on the first line that is no exchange */
export function parseRecording(text: string, path: string): RecordedExchange[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    return [{ line: index + 1, exchange: parseLine(line, `${path}:${index + 1}`) }];
  });
}

function parseLine(line: string, place: string): Exchange {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw broken(place, 'it is no JSON');
  }
  const parsed = exchangeSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue && issue.path.length > 0 ? `its field "${issue.path.join('.')}": ` : '';
    throw broken(place, `${field}${issue?.message ?? z.prettifyError(parsed.error)}`);
  }
  if (exchangeKey(parsed.data.request) !== parsed.data.key) {
    throw broken(place, 'its key does not belong to its request, as after an edit by hand');
  }
  return parsed.data;
}

function broken(place: string, what: string): RecordingError {
  return new RecordingError(
    'broken-line',
    `${place}: this line of the recording cannot be used, ${what}. Record it again with --record.`,
  );
}

/** The model, writing every exchange to the recorder. A cancelled request leaves no line. */
export function recordingModel(model: Model, recorder: Recorder): Model {
  const { embed } = model;
  return {
    id: model.id,
    async complete(request, count, signal) {
      const asked = modelExchangeRequest(model.id, request);
      const write = (outcome: ModelOutcome) => recorder.model(asked, outcome);
      const replies = await written(() => model.complete(request, count, signal), write);
      for (const reply of replies) await write({ reply });
      return replies;
    },
    ...(embed && {
      async embed(texts, signal) {
        const asked = embeddingExchangeRequest(model.id, texts);
        const write = (outcome: EmbeddingOutcome) => recorder.embedding(asked, outcome);
        const reply = await written(() => embed.call(model, texts, signal), write);
        await write({ reply });
        return reply;
      },
    }),
  };
}

/** What the work gives; a model's error is written before it is thrown on. */
async function written<Reply>(
  work: () => Promise<Reply>,
  write: (outcome: { readonly error: { reason: string; message: string } }) => Promise<void>,
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

/** A model that answers from a recording and asks nobody. @param id `provider:model` */
export function replayingModel(id: string, player: Player): Model {
  return {
    id,
    complete(request, count, signal) {
      return oneByOne(count, async () => {
        signal.throwIfAborted();
        return replayed(player.model(modelExchangeRequest(id, request)));
      });
    },
    async embed(texts, signal) {
      signal.throwIfAborted();
      return replayed(player.embedding(embeddingExchangeRequest(id, texts)));
    },
  };
}

/** @throws ModelError where the model had thrown it */
function replayed<Reply>(
  outcome: { readonly reply: Reply } | { readonly error: { reason: string; message: string } },
): Reply {
  if ('reply' in outcome) return outcome.reply;
  const { reason, message } = outcome.error;
  const known = modelErrorReasons.find((one) => one === reason);
  throw new ModelError(known ?? 'server-error', message);
}
