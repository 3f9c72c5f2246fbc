import {
  isMapping,
  type Mapping,
  mappingOf,
  parseJsonText,
  pointerSteps,
} from '../core/data/data.ts';
import { formatList } from '../core/text/format.ts';
import {
  type Roles,
  sideKey,
  sideNamed,
  TEXT_KEYS,
  translateRoles,
} from '../evalfile/transcript.ts';
import { looksLikeMessages } from '../messages/readMessages.ts';
import type { ImportDocument, ImportRow, Ledger } from './importer.ts';

/** Where the conversations are in a file, and who speaks in them; for files in a format of their own. */
export interface Shape {
  /** A JSON pointer, such as `/data/messages`. A step that is only `*` stands for each item of a list. */
  readonly path?: string;
  readonly roles?: Roles;
}

/** Matches each item of a list. */
const EACH = '*';

/** The values at a shape's path in a row, each with the keys next to it if it is a list of messages. */
export function rowsAt({ itemLine, ...row }: ImportDocument, pointer: string): ImportRow[] {
  const found: ImportRow[] = [];
  const visit = (
    given: unknown,
    [step, ...rest]: readonly string[],
    parent: Mapping,
    line: number,
  ) => {
    const value = parseJsonText(given);
    if (step === undefined) {
      found.push({ line, value: Array.isArray(value) ? { ...parent, messages: value } : value });
    } else if (Array.isArray(value)) {
      const indexes = step === EACH ? value.keys() : [Number(step)];
      for (const index of indexes) {
        const own = value === row.value ? itemLine?.(index) : undefined;
        visit(value[index], rest, {}, own ?? line);
      }
    } else if (isMapping(value) && Object.hasOwn(value, step)) {
      const { [step]: inner, ...others } = value;
      visit(inner, rest, others, line);
    }
  };
  visit(row.value, pointerSteps(pointer), {}, row.line);
  return found;
}

/** Replaces a file's names for the sides in all lists of messages, and names these lists `messages`. */
export function withRoles(row: ImportRow, roles: Roles, ledger: Ledger): ImportRow {
  const translated = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const { list, unread } = translateRoles(value, roles);
      for (const key of unread) ledger.lost(row.line, `\`${key}\` of messages is not imported.`);
      return list;
    }
    if (!isMapping(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        const isNamed = Object.hasOwn(value, 'messages') || sideKey(inner, roles) === undefined;
        return [isNamed ? key : 'messages', translated(parseJsonText(inner))];
      }),
    );
  };
  return { ...row, value: translated(row.value) };
}

/** Maximum number of values to look at. */
const MAX_VISITED = 20_000;

/** Maximum number of items of a list to look at. */
const MAX_ITEMS = 200;

/** The shape that a value seems to have; undefined if it contains nothing like a conversation. */
export function guessShape(root: unknown): Shape | undefined {
  const queue: { readonly value: unknown; readonly steps: readonly string[] }[] = [
    { value: root, steps: [] },
  ];
  for (let at = 0; at < queue.length && at < MAX_VISITED; at += 1) {
    const { value, steps } = queue[at] as (typeof queue)[number];
    const roles = rolesIn(value);
    if (roles) return { path: steps.map((step) => `/${escaped(step)}`).join(''), roles };
    const inner = Array.isArray(value) ? itemsIn(value) : Object.entries(mappingOf(value));
    for (const [key, one] of inner.slice(0, MAX_ITEMS))
      queue.push({ value: parseJsonText(one), steps: [...steps, key] });
  }
  return undefined;
}

function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The first item under `*` if all items are alike; otherwise, each item under its index. */
function itemsIn(list: readonly unknown[]): [string, unknown][] {
  const kinds = new Set(list.slice(0, MAX_ITEMS).map((one) => Array.isArray(one) || typeof one));
  if (kinds.size === 1) return [[EACH, list[0]]];
  return list.slice(0, MAX_ITEMS).map((one, index) => [String(index), one]);
}

/** Keys that usually contain the side, most likely first. */
const SIDE_KEYS = ['role', 'from', 'speaker', 'sender', 'author', 'side'];

/** Maximum number of sides in a conversation. */
const MAX_SIDES = 5;

/** The sides of a list of messages, mapped to the likeliest roles; undefined if it isn't one. */
function rolesIn(value: unknown): Roles | undefined {
  if (!Array.isArray(value) || value.length < 2 || !value.every(isMapping)) return undefined;
  const items = value.slice(0, MAX_ITEMS) as Mapping[];
  const isKnown = looksLikeMessages(items);
  const hasText = (item: Mapping) => TEXT_KEYS.some((key) => Object.hasOwn(item, key));
  if (!isKnown && !items.every(hasText)) return undefined;
  const others = Object.keys(items[0] ?? {}).filter((key) => !TEXT_KEYS.includes(key));
  for (const key of [...SIDE_KEYS, ...others]) {
    const names = new Set(items.map((item) => item[key]));
    const repeats = names.size < items.length || SIDE_KEYS.includes(key);
    const isSide = names.size > 1 && names.size <= MAX_SIDES && repeats;
    if (isSide && [...names].every((name) => typeof name === 'string' && name !== '')) {
      return likeliest([...names] as string[]);
    }
  }
  return isKnown ? {} : undefined;
}

const LIKELY: readonly (readonly [RegExp, Roles[string]])[] = [
  [/user|usr|human|customer|client|visitor|caller|guest|patient/i, 'user'],
  [/tool|function/i, 'tool'],
  [/assistant|bot|agent|^sys|^ai\b|model|gpt|support|advisor|operator/i, 'assistant'],
];

function likeliest(names: readonly string[]): Roles {
  const likely = names.map(
    (name) => sideNamed(name, {}) ?? LIKELY.find(([pattern]) => pattern.test(name))?.[1],
  );
  // Conversations usually start with the user.
  const user = Math.max(0, likely.indexOf('user'));
  const others = likely.includes('assistant') ? likely : likely.map(() => 'assistant' as const);
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      index === user ? 'user' : (sideNamed(name, {}) ?? others[index] ?? 'assistant'),
    ]),
  );
}

/** The options for a shape, such as `--path /dialog --roles customer=user,bot=assistant`. */
export function optionsFor({ path, roles = {} }: Shape): string {
  const foreign = Object.entries(roles).filter(([name, role]) => name !== role);
  const pairs = foreign.map(([name, role]) => `${name}=${role}`).join(',');
  return [
    ...(path ? [`--path ${quoted(path)}`] : []),
    ...(pairs === '' ? [] : [`--roles ${quoted(pairs)}`]),
  ].join(' ');
}

/** Text as one word for a shell. */
function quoted(text: string): string {
  return /^[\w@=,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Sentences about a shape and how to import it; empty if it needs no options. */
export function shapeHint(shape: Shape): string {
  const options = optionsFor(shape);
  if (options === '') return '';
  const names = Object.keys(shape.roles ?? {}).map((name) => `"${name}"`);
  const where = shape.path ? ` under \`${shape.path}\`` : '';
  const whose = names.length === 0 ? '' : `, from ${formatList(names)}`;
  return `It seems to have messages${where}${whose}. To import them, add ${options}. `;
}
