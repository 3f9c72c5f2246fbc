import { freeNames, isMapping, remembered } from '../core/data/data.ts';
import { visibleLine } from '../core/presentation/visibleText.ts';
import { indented, STEP, write, writeEntry, writeInline, writeWord } from '../yaml/quoting.ts';
import type { Draft, DraftCase } from './importer.ts';

const LONGEST_ID = 48;

/** A case with its id, ready to be written. */
export interface WrittenCase extends DraftCase {
  readonly id: string;
}

/** Ids that a person would give, each once. */
export function withIds(cases: readonly DraftCase[], tag: string): WrittenCase[] {
  const wanted = cases.map(({ name, opening }) =>
    name !== undefined && isId(name) ? name : slug(name ?? opening ?? '') || tag,
  );
  const taken = new Set(wanted);
  const free = freeNames(taken, (id, number) => `${id}-${number}`);
  const seen = new Set<string>();
  return cases.map((one, index) => {
    const own = wanted[index] as string;
    const id = seen.has(own) ? free(own) : own;
    seen.add(own);
    return { ...one, id };
  });
}

function isId(name: string): boolean {
  return name.length <= LONGEST_ID && /^[A-Za-z0-9][\w.-]*$/.test(name);
}

/** The first words of a text. */
function slug(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const first: string[] = [];
  for (const word of words.slice(0, 6)) {
    if ([...first, word].join('-').length <= LONGEST_ID) first.push(word);
  }
  return first.join('-');
}

/** The text of an eval file as a person would write it. */
export function evalFileText(
  { head = {}, comments = [] }: Omit<Draft, 'cases'>,
  cases: readonly WrittenCase[],
): string {
  const lines = [
    ...comments.map(comment),
    ...Object.entries(plainCopy(head)).map(([key, value]) => entryOf(key, value)),
    '',
    'cases:',
    cases.map(caseText).join('\n\n'),
  ];
  return `${lines.join('\n')}\n`;
}

const caseText = remembered(({ id, keys, assert, suggestions }: WrittenCase): string => {
  const entries = Object.entries(plainCopy({ id, ...keys })).map(([key, value]) =>
    entryOf(key, value),
  );
  const checks =
    assert.length > 0
      ? ['assert:', indented(write(plainCopy(assert)).text, STEP), ...suggested(suggestions)]
      : suggested(suggestions, '# assert:');
  const text = [...entries, ...checks].join('\n');
  return indented(`- ${indented(text, STEP).slice(STEP)}`, STEP);
});

/** @param opening a line before them */
function suggested(suggestions: readonly unknown[], ...opening: readonly string[]): string[] {
  if (suggestions.length === 0) return [];
  const lines = suggestions.map((one) => `- ${onOneLine(one)}`);
  const all = ['For a judge to decide. Take away the # of what should hold:', ...lines];
  return [...opening, ...all.map((line) => indented(comment(line), STEP))];
}

function onOneLine(value: unknown): string {
  if (typeof value === 'string') return writeInline(value.replace(/\s+/g, ' ').trim());
  const [entry, ...more] = isMapping(value) ? Object.entries(value) : [];
  return entry && more.length === 0
    ? `${writeWord(entry[0])}: ${writeInline(entry[1])}`
    : writeInline(value);
}

/** One line, whatever the text holds. */
function comment(text: string): string {
  return `# ${visibleLine(text)}`;
}

/** Keys whose values people write on one line, where there is room. */
const ON_ONE_LINE = ['tags', 'target', 'defaults'];
const LINE_LENGTH = 80;

function entryOf(key: string, value: unknown): string {
  const line = ON_ONE_LINE.includes(key) ? `${key}: ${writeInline(value)}` : '';
  return line !== '' && line.length <= LINE_LENGTH ? line : writeEntry(key, write(value));
}

/** A copy without undefined values, in which nothing stands twice: YAML would write a reference to the first. */
export function plainCopy<Value extends object>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
