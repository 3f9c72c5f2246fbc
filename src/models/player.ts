import { readFile } from 'node:fs/promises';
import * as z from 'zod';
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
import { RecordingError } from './recording.ts';

/** Answers from a recording. */
export interface Player {
  /** @throws ModelError `not-recorded` */
  model(request: ModelExchangeRequest): ModelOutcome;
  /** @throws ModelError `not-recorded` */
  embedding(request: EmbeddingExchangeRequest): EmbeddingOutcome;
  /**
   * @param exact whether another digest is another target; else its replies are used, which is told
   * @throws ModelError `not-recorded`
   */
  target(request: TargetExchangeRequest, exact: boolean): TargetOutcome;
}

/**
 * Reads a recording. A request recorded several times is answered in that order; asked more often
 * than recorded, with the last answer.
 *
 * @param path absolute
 * @param warn hears once of each target whose replies may not be those it would give now
 * @throws RecordingError naming file and line
 */
export async function openPlayer(path: string, warn: (message: string) => void): Promise<Player> {
  const exchanges = parseRecording(await readRecording(path), path);
  const answers = new Map<string, RecordedExchange[]>();
  const add = (key: string, recorded: RecordedExchange) =>
    answers.set(key, [...(answers.get(key) ?? []), recorded]);
  for (const recorded of exchanges) {
    const { key, request } = recorded.exchange;
    add(key, recorded);
    if ('digest' in request) add(exchangeKey(withoutDigest(request)), recorded);
  }
  const asked = new Map<string, number>();
  const told = new Set<string>();

  function answerTo(request: AnyExchangeRequest, found: readonly RecordedExchange[] | undefined) {
    const key = exchangeKey(request);
    const count = asked.get(key) ?? 0;
    asked.set(key, count + 1);
    const recorded = found?.[count] ?? found?.at(-1);
    if (recorded) return recorded.exchange;
    throw new ModelError('not-recorded', describeMiss(request, exchanges, path));
  }

  function next(request: AnyExchangeRequest): Exchange {
    return answerTo(request, answers.get(exchangeKey(request)));
  }

  function nextOfTarget(request: TargetExchangeRequest, exact: boolean): Exchange {
    const found = answers.get(exchangeKey(request));
    if (found) return answerTo(request, found);
    const others = answers.get(exchangeKey(withoutDigest(request))) ?? [];
    const older = others.filter(({ exchange }) => !('digest' in exchange.request));
    const used = exact ? older : others;
    const about = `The target "${request.target}"`;
    if (used.length > 0) {
      tell(
        used.length === older.length
          ? `${about} may have changed since the recording ${path} was made: an older version of Turnlight made it, which did not keep what the target was.`
          : `${about} has changed since the recording ${path} was made, and answers as it did then.`,
      );
    }
    return answerTo(request, used);
  }

  function tell(message: string): void {
    if (!told.has(message)) warn(`${message} Record it again with --record.`);
    told.add(message);
  }

  return {
    model: (request) => outcomeOf(next(request)) as ModelOutcome,
    embedding: (request) => outcomeOf(next(request)) as EmbeddingOutcome,
    target: (request, exact) => outcomeOf(nextOfTarget(request, exact)) as TargetOutcome,
  };
}

function withoutDigest({ digest: _, ...request }: TargetExchangeRequest): TargetExchangeRequest {
  return request;
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
