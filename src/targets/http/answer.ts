import { createParser } from 'eventsource-parser';
import { isMapping, isTooDeep, jsonOrText, shallowJson } from '../../core/data/data.ts';
import { valueAtPointer } from '../../core/data/jsonPointer.ts';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import { readReply, withContext } from '../reply.ts';
import { tooLong } from '../replyLimits.ts';
import { type HearText, TargetError, type TargetReply } from '../target.ts';

const SHOWN = 200;

/** The end of a stream in OpenAI's way. */
const DONE = '[DONE]';

/** JSON pointers into an answer. */
export interface Pointers {
  readonly reply?: string | undefined;
  readonly session?: string | undefined;
  readonly retrieval_context?: string | undefined;
}

export interface Answer {
  readonly reply: TargetReply;
  /** As the service names it; undefined where it named none. */
  readonly session: string | undefined;
}

type Bytes = AsyncIterable<Uint8Array>;

/** The answer in one piece. @throws TargetError */
export async function readWhole(bytes: Bytes, pointers: Pointers): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  if (isTooDeep(whole)) throw malformed('The answer is nested too deep.');
  const text = whole.toString('utf8');
  const value = shallowJson(text) ?? text;
  const { reply: pointer } = pointers;
  const said = pointer === undefined ? value : valueAtPointer(value, pointer);
  if (said === undefined || said === null) {
    throw malformed(`The answer has nothing at \`reply\` (${pointer}). It was: ${shown(text)}`);
  }
  const context = contextIn(value, pointers);
  const reply = pointer === undefined ? readUnplaced(said) : readReply(said);
  return {
    reply: context ? withContext(reply, context) : reply,
    session: sessionIn(value, pointers),
  };
}

/** A whole answer as the reply. In an object of another shape the text may be anywhere. */
function readUnplaced(value: unknown): TargetReply {
  try {
    return readReply(value);
  } catch (error) {
    if (!isMapping(value) || !(error instanceof TargetError)) throw error;
    const where = 'Set `reply` to where its text is, such as /choices/0/message/content.';
    throw new TargetError(error.reason, `${error.message} ${where}`);
  }
}

/**
 * An answer in events: the texts at `reply` of all of them, put together.
 *
 * @param hear told all that was said so far, as it arrives
 * @throws TargetError
 */
export async function readEvents(
  bytes: Bytes,
  pointers: Pointers,
  hear: HearText,
): Promise<Answer> {
  const reading = new EventReading(pointers);
  const parser = createParser({ onEvent: (event) => reading.add(event) });
  const decoder = new TextDecoder();
  for await (const chunk of bytes) {
    const before = reading.text.length;
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (reading.text.length > before) hear(reading.text);
  }
  // Some services leave out the empty line behind the last event.
  parser.feed('\n\n');
  return reading.answer();
}

class EventReading {
  readonly #pointers: Pointers;
  text = '';
  #session: string | undefined;
  #context: readonly string[] | undefined;
  #last = '';

  constructor(pointers: Pointers) {
    this.#pointers = pointers;
  }

  add({ event, data }: { readonly event?: string | undefined; readonly data: string }): void {
    if (event === 'error') throw malformed(`The service sent an error: ${shown(data)}`);
    if (data === '' || data === DONE) return;
    this.#last = data;
    const value = jsonOrText(data);
    this.text += this.#textIn(value);
    const why = tooLong(this.text.length, 0);
    if (why !== undefined) throw new TargetError('target-too-much-output', why);
    this.#session = sessionIn(value, this.#pointers) ?? this.#session;
    this.#context = contextIn(value, this.#pointers) ?? this.#context;
  }

  answer(): Answer {
    if (this.text === '') {
      const where =
        this.#pointers.reply === undefined ? '' : ` at \`reply\` (${this.#pointers.reply})`;
      const last = this.#last === '' ? 'There were none.' : `The last was: ${shown(this.#last)}`;
      throw malformed(`None of the events has text${where}. ${last}`);
    }
    const reply = readReply(this.text);
    return {
      reply: this.#context ? withContext(reply, this.#context) : reply,
      session: this.#session,
    };
  }

  #textIn(value: unknown): string {
    const { reply: pointer } = this.#pointers;
    if (pointer === undefined) {
      if (typeof value === 'string') return value;
      throw malformed(
        `The events are JSON. Set \`reply\` to where their text is, such as /choices/0/delta/content. One was: ${shown(this.#last)}`,
      );
    }
    const said = valueAtPointer(value, pointer);
    if (said === undefined || said === null) return '';
    if (typeof said === 'string') return said;
    throw malformed(
      `Expected text at \`reply\` (${pointer}) of the events. One was: ${shown(this.#last)}`,
    );
  }
}

function sessionIn(value: unknown, { session: pointer }: Pointers): string | undefined {
  const found = pointer === undefined ? undefined : valueAtPointer(value, pointer);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}

/** Texts as they are, other entries as JSON. */
function contextIn(value: unknown, { retrieval_context: pointer }: Pointers) {
  const found = pointer === undefined ? undefined : valueAtPointer(value, pointer);
  if (found === undefined || found === null) return undefined;
  if (typeof found === 'string') return [found];
  if (!Array.isArray(found)) {
    throw malformed(
      `Expected a list of texts at \`retrieval_context\` (${pointer}). It was: ${shown(JSON.stringify(found))}`,
    );
  }
  return found.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
}

function shown(text: string): string {
  return visibleLine(text, SHOWN);
}

function malformed(message: string): TargetError {
  return new TargetError('target-malformed-reply', message);
}
