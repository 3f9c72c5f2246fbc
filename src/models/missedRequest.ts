import { canonicalJson } from '../core/data/digest.ts';
import type { Message } from '../core/message.ts';
import type { AnyExchangeRequest, RecordedExchange } from './exchange.ts';

type Request = AnyExchangeRequest;

const LONGEST = 80;

/**
 * Says why a request is not in a recording: what differs from the nearest recorded request of the
 * same model or target.
 *
 *     … differs from line 12 in messages: message 2 (user), line 5: asked "b", recorded "a".
 */
export function describeMiss(
  asked: Request,
  recorded: readonly RecordedExchange[],
  path: string,
): string {
  const who = nameOf(asked);
  const start = `The recording ${path} has no answer to this request to ${who}.`;
  const instead = 'model' in asked ? 'Name a model to be asked instead, or record' : 'Record';
  const end = `${instead} again with \`turnlight run --record FILE\`.`;
  const same = recorded.filter(({ exchange }) => nameOf(exchange.request) === who);
  const nearest = same
    .map((one) => ({ one, likeness: likeness(asked, one.exchange.request) }))
    .reduce<Ranked | undefined>(
      (best, next) => (best && best.likeness >= next.likeness ? best : next),
      undefined,
    )?.one;
  if (!nearest) {
    const names = [...new Set(recorded.map(({ exchange }) => nameOf(exchange.request)))];
    const others = names.length === 0 ? 'It is empty.' : `It has answers from ${names.join(', ')}.`;
    return `${start} ${others} ${end}`;
  }
  const differences = differencesOf(asked, nearest.exchange.request).join('; ');
  return `${start} The closest one (line ${nearest.line}) differs in ${differences}. ${end}`;
}

interface Ranked {
  readonly one: RecordedExchange;
  readonly likeness: number;
}

function messagesOf(request: Request): readonly Message[] {
  return 'messages' in request ? request.messages : [];
}

function nameOf(request: Request): string {
  return 'model' in request ? `the model "${request.model}"` : `the target "${request.target}"`;
}

/** Counts equal fields and equal messages; how far the first unequal message agrees breaks ties. */
function likeness(a: Request, b: Request): number {
  const others = fieldsOf(a, b).filter((field) => field !== 'messages');
  const equalFields = others.filter((field) => equal(fieldOf(a, field), fieldOf(b, field))).length;
  const [messages, recorded] = [messagesOf(a), messagesOf(b)];
  const index = firstDifference(messages, recorded);
  const left = canonicalJson(messages[index]);
  const right = canonicalJson(recorded[index]);
  const agreeing = left && right ? commonPrefix(left, right) / (left.length + right.length) : 0;
  return equalFields + index + agreeing;
}

function differencesOf(a: Request, b: Request): string[] {
  return fieldsOf(a, b)
    .filter((field) => !equal(fieldOf(a, field), fieldOf(b, field)))
    .filter((field) => field !== 'digest' || ('digest' in a && 'digest' in b))
    .map((field) => {
      if (field === 'digest') return 'the target itself: its model, system text, tools or results';
      if (field === 'messages')
        return `messages: ${messageDifference(messagesOf(a), messagesOf(b))}`;
      const left = short(canonicalJson(fieldOf(a, field)) ?? 'nothing');
      const right = short(canonicalJson(fieldOf(b, field)) ?? 'nothing');
      return left === right ? field : `${field}: asked ${left}, recorded ${right}`;
    });
}

function messageDifference(asked: readonly Message[], recorded: readonly Message[]): string {
  const index = firstDifference(asked, recorded);
  const left = asked[index];
  const right = recorded[index];
  if (!left || !right) return `${asked.length} asked, ${recorded.length} recorded`;
  const where = `message ${index + 1} (${left.role})`;
  if (left.role !== right.role) return `${where}: the recording has one from the ${right.role}`;
  if (left.content === right.content) return `${where}: its tool calls or context`;
  const lines = left.content.split('\n');
  const others = right.content.split('\n');
  const line = firstDifference(lines, others);
  const [leftText, rightText] = excerpts(lines[line], others[line]);
  return `${where}, line ${line + 1}: asked ${leftText}, recorded ${rightText}`;
}

/** Both texts cut short around where they part. */
function excerpts(left: string | undefined, right: string | undefined): [string, string] {
  const start = Math.max(0, commonPrefix(left ?? '', right ?? '') - LONGEST / 2);
  const cut = (text: string | undefined) => {
    if (text === undefined) return 'nothing';
    return short(JSON.stringify(`${start > 0 ? '…' : ''}${text.slice(start)}`));
  };
  return [cut(left), cut(right)];
}

function fieldsOf(a: Request, b: Request): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

function fieldOf(request: Request, field: string): unknown {
  return Object.entries(request).find(([key]) => key === field)?.[1];
}

function equal(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function firstDifference(a: readonly unknown[], b: readonly unknown[]): number {
  let index = 0;
  while (index < a.length && index < b.length && equal(a[index], b[index])) index += 1;
  return index;
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

function short(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
