import type { Hover } from 'vscode-languageserver-types';
import type { Position, Range } from '../../core/problem.ts';
import type { CaseLine } from '../../core/runRecord.ts';
import type { OutlineCase } from '../../evalfile/loadedSuite.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import { keysAt, valuesAt } from '../../evalfile/schemaWalk.ts';
import { findAssertionType } from '../../metrics/registry.ts';
import { contains } from '../place.ts';
import type { EvalDocument, LastRuns } from '../ports.ts';
import { caseMarkdown, STALE, turnMarkdown, verdictMarkdown } from '../verdictMarkdown.ts';

/**
 * On a key its documentation, on an assertion type what it asks; on a case's id, a turn or an
 * assertion what the last run said about it.
 */
export async function hover(
  document: EvalDocument,
  position: Position,
  lastRuns: LastRuns,
): Promise<Hover | undefined> {
  const help = documentation(document, position);
  const verdict = await lastVerdict(document, position, lastRuns);
  const parts = [verdict?.markdown, help?.markdown].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  const range = help?.range ?? verdict?.range;
  return {
    contents: { kind: 'markdown', value: parts.join('\n\n---\n\n') },
    ...(range && { range }),
  };
}

interface Said {
  readonly markdown: string;
  readonly range: Range;
}

function documentation({ yaml }: EvalDocument, position: Position): Said | undefined {
  const { path, onKey } = yaml.pathAt(position);
  const last = path.at(-1);
  if (typeof last !== 'string') return undefined;
  if (onKey) {
    const key = keysAt(evalFileSchema, yaml.value, path.slice(0, -1)).find(
      ({ name }) => name === last,
    );
    if (!key) return undefined;
    const needed = key.required ? ' _(required)_' : '';
    const text = key.documentation ?? '';
    return { markdown: `**${last}**${needed}\n\n${text}`, range: yaml.keyRangeOf(path) };
  }
  const range = yaml.rangeOf(path);
  if (!contains(range, position)) return undefined;
  const value: unknown = path.reduce<unknown>(
    (inner, key) => Reflect.get(Object(inner), key),
    yaml.value,
  );
  if (typeof value !== 'string') return undefined;
  const type = last === 'type' ? findAssertionType(value) : undefined;
  if (type) return { markdown: `**${type.type}** — ${type.summary}\n\n${type.docs}`, range };
  const known = valuesAt(evalFileSchema, yaml.value, path).find((one) => one.value === value);
  return known?.documentation === undefined
    ? undefined
    : { markdown: `**${known.value}** — ${known.documentation}`, range };
}

async function lastVerdict(
  { suite }: EvalDocument,
  position: Position,
  lastRuns: LastRuns,
): Promise<Said | undefined> {
  const found = suite.outline.find(
    ({ path, range }) => path === suite.path && contains(range, position),
  );
  if (found?.id === undefined) return undefined;
  const subject = subjectOf(found, suite.path, position);
  if (!subject) return undefined;
  const lines = await lastRuns(suite.path, found.id);
  const parts = lines.flatMap((line) => {
    const said = subject.say(line);
    if (said === undefined) return [];
    const title = lines.length > 1 ? `### Repetition ${line.repetition}\n\n` : '';
    return [`${title}${said}`];
  });
  if (parts.length === 0) return undefined;
  const stale = lines.some(({ source }) => source.hash !== found.hash) ? [STALE] : [];
  return { markdown: [...stale, ...parts].join('\n\n'), range: subject.range };
}

interface Subject {
  readonly range: Range;
  say(line: CaseLine): string | undefined;
}

/** The innermost thing at the place: an assertion under a turn before the turn. */
function subjectOf(found: OutlineCase, path: string, position: Position): Subject | undefined {
  const assertion = found.assertions.find(
    (one) => one.path === path && contains(one.range, position),
  );
  if (assertion) {
    return {
      range: assertion.range,
      say({ verdicts }) {
        const verdict = verdicts.find((one) => one.assertion.index === assertion.index);
        return verdict && verdictMarkdown(verdict);
      },
    };
  }
  const turn = found.turns.find(({ range }) => contains(range, position));
  if (turn) return { range: turn.range, say: (line) => turnMarkdown(line, turn.turns) };
  return contains(found.nameRange, position)
    ? { range: found.nameRange, say: caseMarkdown }
    : undefined;
}
