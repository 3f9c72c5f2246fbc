import type { AssertionType } from '../../src/assertions/contract.ts';
import { docsMarkdown } from '../../src/assertions/docs.ts';
import { valueOn } from '../../src/core/scoring.ts';
import { unreachable } from '../../src/core/unreachable.ts';
import { type Field, fieldsOf } from './fields.ts';
import { table } from './table.ts';

export const GENERATED = '<!-- Made by `npm run docs` from the declarations in src/assertions. -->';

/** The page of an assertion type: all of it from its declaration. */
export function pageOf(type: AssertionType): string {
  const { own, shared } = fieldsOf(type);
  const sections = [
    GENERATED,
    `# ${type.type}`,
    type.summary,
    docsMarkdown(type),
    '## At a glance',
    table(['', ''], glance(type)),
    '## Keys of its own',
    own.length === 0 ? 'None.' : fieldTable(own),
    '## Keys that it shares with others',
    fieldTable(shared),
    '[All assertions](README.md)',
  ];
  return `${sections.join('\n\n')}\n`;
}

function glance(type: AssertionType): string[][] {
  const need = needOf(type);
  return [
    ['decided by', decidedBy(type)],
    ['looks at', type.side === 'both' ? 'the turns of both sides' : `the ${type.side}'s turns`],
    ...(need === undefined ? [] : [['needs', need]]),
    ['default threshold', thresholdOf(type)],
    ...(type.like === undefined ? [] : [['as in', type.like]]),
  ];
}

function decidedBy(type: AssertionType): string {
  switch (type.kind) {
    case 'group':
      return 'the assertions under it';
    case 'deterministic':
      return BY_PROGRAM;
    case 'procedure':
      return type.asksJudge ? 'a judge, in one or more requests, one after the other' : BY_PROGRAM;
    case 'checklist':
      return 'a judge, in one request with the others of its type';
    case 'judged':
      return 'a judge, in one request';
    default:
      return unreachable(type);
  }
}

const BY_PROGRAM = 'the program, without a judge';

/** `0.5`, and what that is in the scale of the values: `0.5, which is 3 of 1 to 5`. */
export function thresholdOf({ defaultThreshold, scale }: AssertionType): string {
  if (scale === undefined) return String(defaultThreshold);
  if (scale === 'own') return `${defaultThreshold}, of whatever its scale is`;
  const [low, high] = scale;
  return `${defaultThreshold}, which is ${valueOn(scale, defaultThreshold)} of ${low} to ${high}`;
}

/** What a case must have, as the editor says it where nothing is there; undefined where nothing is needed. */
export function needOf({ type, needs }: AssertionType): string | undefined {
  const nothing = { id: 'case', topics: [], tools: [], expectations: {}, context: {} };
  const said = needs?.(nothing, { hasSystemText: false, hasExpected: false });
  return said?.replace(`${type} needs `, '').replace(/\.$/, '');
}

function fieldTable(fields: readonly Field[]): string {
  const rows = fields.map((field) => [
    `\`${field.name}\``,
    field.takes,
    field.needed ? 'needed' : field.default === undefined ? '' : `\`${field.default}\``,
    field.meaning,
  ]);
  return table(['key', 'takes', 'unless given', 'meaning'], rows);
}
