import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import {
  type Exchange,
  exchangeKey,
  exchangeSchema,
  type ModelExchangeRequest,
  type ModelOutcome,
  modelExchangeRequest,
  type TargetExchangeRequest,
  type TargetOutcome,
} from './exchange.ts';
import { describeMiss } from './missedRequest.ts';
import { type Model, ModelError, modelErrorReasons } from './model.ts';

export type RecordingErrorReason = 'missing' | 'broken-line' | 'unwritable';

/** A recording could not be read or written. `message` names the file, and the line where one is wrong. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
  readonly reason: RecordingErrorReason;

  constructor(reason: RecordingErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Writes exchanges, one line each, in the order in which they ended. */
export interface Recorder {
  /** Resolves once the line is on disk. @throws RecordingError */
  model(request: ModelExchangeRequest, outcome: ModelOutcome): Promise<void>;
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
  target(request: TargetExchangeRequest): TargetOutcome;
}

/** An exchange with its place in the recording, from 1. */
export interface RecordedExchange {
  readonly line: number;
  readonly exchange: Exchange;
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

  function next(request: ModelExchangeRequest | TargetExchangeRequest): Exchange {
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
  return {
    id: model.id,
    async complete(request, signal) {
      const asked = modelExchangeRequest(model.id, request);
      try {
        const reply = await model.complete(request, signal);
        await recorder.model(asked, { reply });
        return reply;
      } catch (error) {
        if (error instanceof ModelError) {
          const { reason, message } = error;
          await recorder.model(asked, { error: { reason, message } });
        }
        throw error;
      }
    },
  };
}

/** A model that answers from a recording and asks nobody. @param id `provider:model` */
export function replayingModel(id: string, player: Player): Model {
  return {
    id,
    async complete(request, signal) {
      signal.throwIfAborted();
      const outcome = player.model(modelExchangeRequest(id, request));
      if ('reply' in outcome) return outcome.reply;
      const { reason, message } = outcome.error;
      const known = modelErrorReasons.find((one) => one === reason);
      throw new ModelError(known ?? 'server-error', message);
    },
  };
}
