import { readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import { addTo, JsonShape, memoize, parseJson } from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';
import type { Message } from '../core/message.ts';
import { readErrorText } from '../disk/fileErrors.ts';
import { readLinked } from '../disk/regularFile.ts';
import { canonicalJson, digestOf } from '../node/hashes.ts';
import {
  type EmbeddingExchangeRequest,
  type EmbeddingResult,
  type Exchange,
  type ExchangeRequest,
  embeddingExchangeRequest,
  exchangeKey,
  exchangeSchema,
  type ModelExchangeRequest,
  type ModelResult,
  modelExchangeRequest,
  type RecordedExchange,
  type TargetExchangeRequest,
  type TargetResult,
} from './exchange.ts';
import { type Model, ModelError, modelErrorReasons, repeatInSequence } from './model.ts';
import { RecordingError } from './recording.ts';

export interface ReplaySource {
  /** @throws ModelError `not-recorded` */
  model(request: ModelExchangeRequest): ModelResult;
  /** @throws ModelError `not-recorded` */
  embedding(request: EmbeddingExchangeRequest): EmbeddingResult;
  /**
   * @param exact whether the digest must match; if false, replies recorded with another digest are used with a warning
   * @throws ModelError `not-recorded`
   */
  target(request: TargetExchangeRequest, exact: boolean): TargetResult;
}

/**
 * Reads a recording. A request recorded several times gets its answers in the recorded order, then repeats the last
 * one.
 *
 * @param path absolute path
 * @param read reads the file; by default, also reads pipes and devices, which the user may name
 * @param warn called once per target whose replies may be outdated
 * @throws RecordingError, which names the file and the line
 */
export async function openReplaySource(
  path: string,
  warn: (message: string) => void,
  read: (path: string) => Promise<Uint8Array> = readAny,
): Promise<ReplaySource> {
  const exchanges = parseRecording(await readRecording(path, read), path);
  const answers = new Map<string, RecordedExchange[]>();
  const targetAnswers = new Map<string, RecordedExchange[]>();
  for (const recorded of exchanges) {
    const { key, request } = recorded.exchange;
    if ('target' in request) {
      addTo(answers, suitelessKeyOf(request), recorded);
      if ('digest' in request) addTo(answers, suitelessKeyOf(withoutDigest(request)), recorded);
      addTo(targetAnswers, caselessKeyOf(request), recorded);
    } else addTo(answers, key, recorded);
  }
  const timesRequested = new Map<string, number>();
  let compared = 0;
  const warned = new Set<string>();

  function answerTo(request: ExchangeRequest, found: readonly RecordedExchange[] | undefined) {
    const key = exchangeKey(request);
    const count = timesRequested.get(key) ?? 0;
    timesRequested.set(key, count + 1);
    const recorded = found?.[count] ?? found?.at(-1);
    if (recorded) return recorded.exchange;
    const isComparable = compared < MAX_COMPARED;
    compared += exchanges.length;
    const among = isComparable ? exchanges : undefined;
    throw new ModelError('not-recorded', describeMissingExchange(request, among, path));
  }

  function next(request: ExchangeRequest): Exchange {
    return answerTo(request, answers.get(exchangeKey(request)));
  }

  function nextOfTarget(request: TargetExchangeRequest, exact: boolean): Exchange {
    const found = ofSuite(request, answers.get(suitelessKeyOf(request)));
    if (found.length > 0) return answerTo(request, found);
    const others = ofSuite(request, answers.get(suitelessKeyOf(withoutDigest(request))));
    const older = others.filter(({ exchange }) => !('digest' in exchange.request));
    const used = exact ? older : others;
    const about = `The target "${request.target}"`;
    if (used.length > 0) {
      warnOnce(
        used.length === older.length
          ? `${about} may have changed since ${path} was recorded: an older version of Turnlight recorded it, without the target's digest.`
          : `${about} has changed since ${path} was recorded; the run uses the old replies.`,
      );
    }
    const [first] = used;
    // Other repetitions of the same case don't count as matches.
    const same = (first ? [] : (targetAnswers.get(caselessKeyOf(request)) ?? [])).find(
      ({ exchange: { request: recorded } }) =>
        'target' in recorded &&
        (recorded.case !== request.case || recorded.suite !== request.suite),
    );
    if (!same) return answerTo(request, used);
    warnOnce(
      `${about} was not recorded for the case "${request.case}"; the run uses its replies to the same messages in another case.`,
    );
    return same.exchange;
  }

  function warnOnce(message: string): void {
    if (!warned.has(message)) warn(`${message} Record again with --record.`);
    warned.add(message);
  }

  return {
    model: (request) => resultOf(next(request)) as ModelResult,
    embedding: (request) => resultOf(next(request)) as EmbeddingResult,
    target: (request, exact) => resultOf(nextOfTarget(request, exact)) as TargetResult,
  };
}

/** Exchanges of the same eval file, or of one that an older recording doesn't name. */
function ofSuite(
  { suite }: TargetExchangeRequest,
  all: readonly RecordedExchange[] = [],
): RecordedExchange[] {
  return all.filter(({ exchange: { request } }) => {
    const recorded = 'suite' in request ? request.suite : undefined;
    return recorded === undefined || recorded === suite;
  });
}

function suitelessKeyOf({ suite: _, ...request }: TargetExchangeRequest): string {
  return exchangeKey(request);
}

/** The request's key without its case and repetition, for example to match a case that was saved from another case. */
function caselessKeyOf(given: TargetExchangeRequest): string {
  const { suite: _, case: __, repetition: ___, ...request } = given;
  return digestOf(request);
}

function withoutDigest({ digest: _, ...request }: TargetExchangeRequest): TargetExchangeRequest {
  return request;
}

function resultOf({ error, reply }: Exchange) {
  return error ? { error } : { reply };
}

async function readAny(path: string): Promise<Uint8Array> {
  return (await stat(path)).isFile() ? readLinked(path) : readFile(path);
}

async function readRecording(
  path: string,
  read: (path: string) => Promise<Uint8Array>,
): Promise<string> {
  const unreadable = (why: string) =>
    new RecordingError('missing', `The recording ${path} cannot be read: ${why}.`);
  try {
    const bytes = await read(path);
    const excess = new JsonShape().add(bytes).excess(LIMITS.recordingValues);
    if (excess) throw unreadable(`it ${excess}`);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw error instanceof RecordingError ? error : unreadable(readErrorText(error));
  }
}

/** @throws RecordingError on the first invalid line */
export function parseRecording(text: string, path: string): RecordedExchange[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    return [{ line: index + 1, exchange: parseLine(line, `${path}:${index + 1}`) }];
  });
}

function parseLine(line: string, where: string): Exchange {
  const value = parseJson(line);
  if (value === undefined) throw brokenLineError(where, 'it is not JSON');
  const parsed = exchangeSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue && issue.path.length > 0 ? `its field "${issue.path.join('.')}": ` : '';
    throw brokenLineError(where, `${field}${issue?.message ?? z.prettifyError(parsed.error)}`);
  }
  if (exchangeKey(parsed.data.request) !== parsed.data.key) {
    const why = 'its key does not match its request, perhaps because it was edited by hand';
    throw brokenLineError(where, why);
  }
  return parsed.data;
}

function brokenLineError(where: string, what: string): RecordingError {
  const message = `${where}: this line of the recording cannot be used: ${what}. Record again with --record.`;
  return new RecordingError('broken-line', message);
}

/** A model that answers only from a recording. @param id `provider:model` */
export function replayModel(id: string, source: ReplaySource): Model {
  return {
    id,
    complete(request, count, signal) {
      return repeatInSequence(count, async () => {
        signal.throwIfAborted();
        return replyOrThrow(source.model(modelExchangeRequest(id, request)));
      });
    },
    async embed(texts, signal) {
      signal.throwIfAborted();
      return replyOrThrow(source.embedding(embeddingExchangeRequest(id, texts)));
    },
  };
}

/** @throws ModelError if the recorded result is an error */
function replyOrThrow<Reply>(
  result: { readonly reply: Reply } | { readonly error: { reason: string; message: string } },
): Reply {
  if ('reply' in result) return result.reply;
  const { reason, message } = result.error;
  const known = modelErrorReasons.find((one) => one === reason);
  throw new ModelError(known ?? 'server-error', message);
}

const MAX_EXCERPT = 80;

/** Maximum number of exchanges to compare with missing ones, because each comparison takes microseconds. */
const MAX_COMPARED = 300_000;

/**
 * Explains how an unrecorded request differs from the most similar recorded request to the same model or target.
 *
 * … differs in messages: message 2 (user), line 5: requested "b", recorded "a".
 *
 * @param recorded undefined if it isn't compared
 */
function describeMissingExchange(
  request: ExchangeRequest,
  recorded: readonly RecordedExchange[] | undefined,
  path: string,
): string {
  const who = nameOf(request);
  const start = `The recording ${path} has no answer to this request to ${who}.`;
  const instead = 'model' in request ? 'Use another model, or record' : 'Record';
  const end = `${instead} again with \`turnlight run --record FILE\`.`;
  if (!recorded) return `${start} ${end}`;
  const same = recorded.filter(({ exchange }) => nameOf(exchange.request) === who);
  const [nearest] = same
    .map((one) => ({ ...one, similarity: similarityOf(request, one.exchange.request) }))
    .sort((a, b) => b.similarity - a.similarity);
  if (!nearest) {
    const names = [...new Set(recorded.map(({ exchange }) => nameOf(exchange.request)))];
    const others = names.length === 0 ? 'It is empty.' : `It has answers from ${names.join(', ')}.`;
    return `${start} ${others} ${end}`;
  }
  const differences = differencesOf(request, nearest.exchange.request).join('; ');
  return `${start} The closest one (line ${nearest.line}) differs in ${differences}. ${end}`;
}

function messagesOf(request: ExchangeRequest): readonly Message[] {
  return 'messages' in request ? request.messages : [];
}

function nameOf(request: ExchangeRequest): string {
  return 'model' in request ? `the model "${request.model}"` : `the target "${request.target}"`;
}

/** Counts equal fields and equal messages. Ties are broken by the length of the common prefix of the first message that differs. */
function similarityOf(a: ExchangeRequest, b: ExchangeRequest): number {
  const others = fieldsOf(a, b).filter((field) => field !== 'messages');
  const equalFields = others.filter((field) => hasEqual(field, a, b)).length;
  const [messages, recorded] = [messagesOf(a), messagesOf(b)];
  const index = firstDifference(messages, recorded);
  const left = canonicalText(messages[index]);
  const right = canonicalText(recorded[index]);
  const agreeing = left && right ? commonPrefix(left, right) / (left.length + right.length) : 0;
  return equalFields + index + agreeing;
}

function differencesOf(a: ExchangeRequest, b: ExchangeRequest): string[] {
  return fieldsOf(a, b)
    .filter((field) => !hasEqual(field, a, b))
    .filter((field) => field !== 'digest' || ('digest' in a && 'digest' in b))
    .map((field) => {
      if (field === 'digest') return 'the target itself: its model, system text, tools or results';
      if (field === 'messages') {
        return `messages: ${messageDifference(messagesOf(a), messagesOf(b))}`;
      }
      const left = truncate(canonicalJson(Reflect.get(a, field)) ?? 'nothing');
      const right = truncate(canonicalJson(Reflect.get(b, field)) ?? 'nothing');
      return left === right ? field : `${field}: requested ${left}, recorded ${right}`;
    });
}

function messageDifference(requested: readonly Message[], recorded: readonly Message[]): string {
  const index = firstDifference(requested, recorded);
  const left = requested[index];
  const right = recorded[index];
  if (!left || !right) return `${requested.length} requested, ${recorded.length} recorded`;
  const where = `message ${index + 1} (${left.role})`;
  if (left.role !== right.role) return `${where}: the recording has one from the ${right.role}`;
  if (left.content === right.content) return `${where}: its tool calls or context`;
  const lines = left.content.split('\n');
  const others = right.content.split('\n');
  const line = firstDifference(lines, others);
  const [leftText, rightText] = excerpts(lines[line], others[line]);
  return `${where}, line ${line + 1}: requested ${leftText}, recorded ${rightText}`;
}

function excerpts(left: string | undefined, right: string | undefined): [string, string] {
  const start = Math.max(0, commonPrefix(left ?? '', right ?? '') - MAX_EXCERPT / 2);
  const cut = (text: string | undefined) => {
    if (text === undefined) return 'nothing';
    return truncate(JSON.stringify(`${start > 0 ? '…' : ''}${text.slice(start)}`));
  };
  return [cut(left), cut(right)];
}

function fieldsOf(a: ExchangeRequest, b: ExchangeRequest): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

function hasEqual(field: string, a: ExchangeRequest, b: ExchangeRequest): boolean {
  return isEqual(Reflect.get(a, field), Reflect.get(b, field));
}

function isEqual(a: unknown, b: unknown): boolean {
  return canonicalText(a) === canonicalText(b);
}

/** Cached, because each request that isn't recorded is compared with all recorded requests. */
const canonicalObject = memoize(canonicalJson);

function canonicalText(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? canonicalObject(value)
    : canonicalJson(value);
}

function firstDifference(a: readonly unknown[], b: readonly unknown[]): number {
  let index = 0;
  while (index < a.length && index < b.length && isEqual(a[index], b[index])) index += 1;
  return index;
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

function truncate(text: string): string {
  return text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}…` : text;
}
