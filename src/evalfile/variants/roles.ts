import { isMapping, type Mapping } from '../../core/data/data.ts';
import type { Message } from '../../core/message.ts';

/** The sides of a conversation by the names that a foreign file has for them. */
export type Roles = Readonly<Record<string, Message['role']>>;

/** Keys under which other tools keep what was said, where a message names its side in another key than `role`. */
const TEXT_KEYS = ['content', 'text', 'value', 'utterance', 'message'];

/** What a message of ours may have besides. */
const KEPT_KEYS = ['tool_calls', 'tool_call_id', 'retrieval_context', 'agent'];

/** A list of messages with the sides that we know. */
export interface Translated {
  readonly list: unknown;
  /** Keys of messages that are left out. */
  readonly unread: readonly string[];
}

/**
 * Names the sides of messages as we do. With `{usr: user, sys: assistant}`:
 *
 *     {"role": "usr", "content": "Hi"}           the role is another one
 *     {"speaker": "usr", "text": "Hi", "id": 3}  the key that names the sides in all messages; `id` is left out
 *     {"usr": "Hi"}                              the key itself is a side
 */
export function translateRoles(list: unknown, roles: Roles | undefined): Translated {
  if (!roles || !Array.isArray(list)) return { list, unread: [] };
  const key = sideKey(list, roles) ?? 'role';
  const unread = new Set<string>();
  const translated = list.map((item: unknown) => {
    if (!isMapping(item)) return item;
    const side = sideNamed(item[key], roles);
    if (side === undefined) return translateKey(item, roles);
    if (key === 'role') return { ...item, role: side };
    const text = TEXT_KEYS.find((one) => Object.hasOwn(item, one));
    const kept = KEPT_KEYS.filter((one) => Object.hasOwn(item, one));
    for (const one of Object.keys(item)) {
      if (![key, text, ...kept].includes(one)) unread.add(one);
    }
    return {
      role: side,
      ...(text !== undefined && { content: item[text] }),
      ...Object.fromEntries(kept.map((one) => [one, item[one]])),
    };
  });
  return { list: translated, unread: [...unread] };
}

/** The key by which every message of a list names its side; undefined if there is none. */
export function sideKey(list: unknown, roles: Roles): string | undefined {
  if (!Array.isArray(list) || !isMapping(list[0])) return undefined;
  const [first] = list;
  const known = (item: unknown, key: string) =>
    isMapping(item) && sideNamed(item[key], roles) !== undefined;
  return Object.keys(first).find(
    (key) =>
      list.every((item) => known(item, key)) &&
      list.some((item) => Object.hasOwn(roles, String(item[key]))),
  );
}

const SIDES: readonly string[] = [
  'system',
  'developer',
  'user',
  'assistant',
  'tool',
] satisfies Message['role'][];

function sideNamed(name: unknown, roles: Roles): Message['role'] | undefined {
  if (typeof name !== 'string') return undefined;
  if (Object.hasOwn(roles, name)) return roles[name];
  return SIDES.includes(name) ? (name as Message['role']) : undefined;
}

function translateKey(item: Mapping, roles: Roles): Mapping {
  const [own, ...more] = Object.keys(item).filter((key) => Object.hasOwn(roles, key));
  if (own === undefined || more.length > 0 || Object.hasOwn(item, 'role')) return item;
  const { [own]: text, ...rest } = item;
  return { [String(roles[own])]: text, ...rest };
}
