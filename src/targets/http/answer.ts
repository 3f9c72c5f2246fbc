import { createParser } from 'eventsource-parser';
import {
  isMapping,
  jsonExcess,
  jsonOrText,
  shallowJson,
  valueAtPointer,
} from '../../core/data/data.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { callPieceSchema, StreamedCalls } from '../../models/openai/streaming.ts';
import { readReply, readUsage, withContext } from '../reply.ts';
import { checkEvents, checkLength } from '../replyLimits.ts';
import { prependCalls, readReportedCalls } from '../reportedCalls.ts';
import { type OnText, QuotingError, TargetError, type TargetReply } from '../target.ts';

const MAX_EXCERPT = 200;

/** Marks the end of a stream in OpenAI's format. */
const DONE = '[DONE]';

export interface Pointers {
  readonly reply?: string | undefined;
  readonly session?: string | undefined;
  readonly retrieval_context?: string | undefined;
  readonly tool_calls?: string | undefined;
  readonly usage?: string | undefined;
}

interface Extras {
  readonly tool_calls: unknown;
  readonly usage: unknown;
  readonly context: readonly string[] | undefined;
}

export interface Answer {
  readonly reply: TargetReply;
  /** The service's name for the session; undefined if the answer doesn't contain one. */
  readonly session: string | undefined;
}

type Bytes = AsyncIterable<Uint8Array>;

/** Reads an unstreamed answer. @param number reply number, from 1 @throws TargetError */
export async function readWhole(bytes: Bytes, pointers: Pointers, number: number): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  const excess = jsonExcess(whole);
  if (excess !== undefined) throw malformedError(`The answer ${excess}.`);
  const text = whole.toString('utf8');
  const value = shallowJson(text) ?? text;
  const { reply: pointer } = pointers;
  const content = pointer === undefined ? value : at(value, pointer);
  const lost = REPORTS.find((key) => !hasParent(value, pointers[key]));
  if (lost) throw missingParentError(lost, pointers, text);
  const extras = {
    tool_calls: at(value, pointers.tool_calls),
    usage: at(value, pointers.usage),
    context: contextIn(value, pointers),
  };
  const readAnswer = () => {
    if (content === undefined || content === null) {
      throw malformedError(`The answer has nothing at \`reply\` (${pointer}). It was:`, text);
    }
    return pointer === undefined ? readWholeAsReply(content) : readReply(content);
  };
  const isSilent = content === undefined || content === null || content === '';
  const reply = withExtras(readAnswer, isSilent, extras, pointers, number);
  return { reply, session: sessionIn(value, pointers) };
}

/** Adds everything else in the answer, which may consist entirely of calls. @param number reply number, from 1 */
function withExtras(
  read: () => TargetReply,
  isSilent: boolean,
  { tool_calls, usage, context }: Extras,
  pointers: Pointers,
  number: number,
): TargetReply {
  const calls = readReportedCalls(tool_calls, number);
  if (calls.problem !== undefined) {
    throw unreadableError('tool_calls', calls.problem, tool_calls, pointers);
  }
  const base = isSilent && calls.messages.length > 0 ? { messages: [] } : read();
  const used = usage === undefined || usage === null ? base.usage : readUsage(usage);
  if (usage && !used) {
    const problem = 'Expected the numbers of input and output tokens, or a `cost`.';
    throw unreadableError('usage', problem, usage, pointers);
  }
  const notes = [...(base.notes ?? []), ...calls.notes];
  const reply = {
    messages: prependCalls(calls.messages, base.messages),
    ...(notes.length > 0 && { notes }),
    ...(used && { usage: used }),
  };
  return context ? withContext(reply, context) : reply;
}

const REPORTS = ['tool_calls', 'usage'] as const;

type ReportPointer = (typeof REPORTS)[number];

/** Whether a pointer's parent exists. An answer without calls may omit the key itself, but not its parent. */
function hasParent(value: unknown, pointer = ''): boolean {
  const parent = pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));
  return valueAtPointer(value, parent) !== undefined;
}

function missingParentError(key: ReportPointer, pointers: Pointers, text: string): TargetError {
  const message = `The path of \`${key}\` (${pointers[key]}) does not exist in the answer. It was:`;
  return malformedError(message, text);
}

function unreadableError(key: ReportPointer, problem: string, found: unknown, pointers: Pointers) {
  const message = `The answer's \`${key}\` (${pointers[key]}) can't be read. ${problem} It was:`;
  return malformedError(message, JSON.stringify(found) ?? '');
}

function at(value: unknown, pointer: string | undefined): unknown {
  return pointer === undefined ? undefined : valueAtPointer(value, pointer);
}

/** Reads a whole answer as the reply. In objects without known keys, the text could be anywhere. */
function readWholeAsReply(value: unknown): TargetReply {
  try {
    return readReply(value);
  } catch (error) {
    if (!isMapping(value) || !(error instanceof TargetError)) throw error;
    const where = 'Set `reply` to where its text is, such as /choices/0/message/content.';
    throw error.extend((message) => `${message} ${where}`);
  }
}

/** Reads server-sent events: concatenates the text at `reply`. @param number reply number, from 1 @throws TargetError */
export async function readEvents(
  bytes: Bytes,
  pointers: Pointers,
  onText: OnText,
  number: number,
): Promise<Answer> {
  const reader = new EventReader(pointers, number);
  const parser = createParser({ onEvent: (event) => reader.add(event) });
  const decoder = new TextDecoder();
  for await (const chunk of bytes) {
    const before = reader.text.length;
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (reader.text.length > before) onText(reader.text);
  }
  // Some services omit the empty line after the last event.
  parser.feed('\n\n');
  return reader.answer();
}

class EventReader {
  readonly #pointers: Pointers;
  text = '';
  #session: string | undefined;
  #context: readonly string[] | undefined;
  readonly #calls = new EventCallCollector();
  #usage: unknown;
  #last = '';
  #events = 0;
  readonly #number: number;
  /** The reports that an event could contain. */
  readonly #placed = new Set<ReportPointer>();

  constructor(pointers: Pointers, number: number) {
    this.#pointers = pointers;
    this.#number = number;
  }

  add({ event, data }: { readonly event?: string | undefined; readonly data: string }): void {
    this.#events += 1;
    checkEvents(this.#events);
    if (event === 'error') throw malformedError('The service sent an error:', data);
    if (data === '' || data === DONE) return;
    this.#last = data;
    const value = jsonOrText(data);
    this.text += this.#textIn(value);
    checkLength(this.text.length);
    this.#session = sessionIn(value, this.#pointers) ?? this.#session;
    this.#context = contextIn(value, this.#pointers) ?? this.#context;
    this.#usage = at(value, this.#pointers.usage) ?? this.#usage;
    for (const key of REPORTS) if (hasParent(value, this.#pointers[key])) this.#placed.add(key);
    this.#calls.add(at(value, this.#pointers.tool_calls));
  }

  answer(): Answer {
    const lost = REPORTS.find((key) => this.#pointers[key] !== undefined && !this.#placed.has(key));
    if (lost && this.#last !== '') throw missingParentError(lost, this.#pointers, this.#last);
    const extras = { tool_calls: this.#calls.all(), usage: this.#usage, context: this.#context };
    const read = () => this.#read();
    const reply = withExtras(read, this.text === '', extras, this.#pointers, this.#number);
    return { reply, session: this.#session };
  }

  #read(): TargetReply {
    if (this.text !== '') return readReply(this.text);
    const { reply: pointer } = this.#pointers;
    const where = pointer === undefined ? '' : ` at \`reply\` (${pointer})`;
    const why = `No event has text${where}.`;
    if (this.#last === '') throw malformedError(`${why} There were no events.`);
    throw malformedError(`${why} The last event was:`, this.#last);
  }

  #textIn(value: unknown): string {
    const { reply: pointer } = this.#pointers;
    if (pointer === undefined) {
      if (typeof value === 'string') return value;
      const message = `The events are JSON. Set \`reply\` to where their text is, such as /choices/0/delta/content. One was:`;
      throw malformedError(message, this.#last);
    }
    const said = valueAtPointer(value, pointer);
    if (said === undefined || said === null) return '';
    if (typeof said === 'string') return said;
    const message = `Expected text at \`reply\` (${pointer}) of the events. One was:`;
    throw malformedError(message, this.#last);
  }
}

function sessionIn(value: unknown, { session: pointer }: Pointers): string | undefined {
  const found = at(value, pointer);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}

/** Passages of retrieved context. Strings are kept as they are; other entries become JSON. */
function contextIn(value: unknown, { retrieval_context: pointer }: Pointers) {
  const found = at(value, pointer);
  if (found === undefined || found === null) return undefined;
  if (typeof found === 'string') return [found];
  if (!Array.isArray(found)) {
    const message = `Expected a list of texts at \`retrieval_context\` (${pointer}). It was:`;
    throw malformedError(message, JSON.stringify(found));
  }
  return found.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
}

/** @param quoted the service's text, which follows the message */
function malformedError(message: string, quoted?: string): TargetError {
  if (quoted === undefined) return new TargetError('target-malformed-reply', message);
  return new QuotingError(
    'target-malformed-reply',
    (quote) => `${message} ${quote(quoted, (clean) => visibleLine(clean, MAX_EXCERPT))}`,
  );
}

/** Collects tool calls from a stream, either in pieces, as in OpenAI's chat format, or complete. */
class EventCallCollector {
  readonly #streamed = new StreamedCalls();
  readonly #whole: unknown[] = [];

  add(value: unknown): void {
    if (value === undefined || value === null) return;
    for (const item of Array.isArray(value) ? value : [value]) {
      const piece = callPieceSchema.safeParse(item).data;
      if (typeof piece?.index === 'number' && piece.function) this.#streamed.add(piece);
      else this.#whole.push(item);
    }
  }

  all(): readonly unknown[] {
    return [...this.#streamed.calls, ...this.#whole];
  }
}
