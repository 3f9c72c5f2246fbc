import type { AssertionType } from '../assertions/contract.ts';
import { type Mapping, mappingOf, stringOf } from '../core/data/data.ts';
import { isError } from '../core/problem.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import { overlayFiles } from '../evalfile/files.ts';
import { loadSuite } from '../evalfile/load.ts';
import { writeInline } from '../yaml/quoting.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';
import { DEFAULT_CHECK, evalFileText, type Place } from './evalFileText.ts';

const CASE_KEYS = ['judge', 'target', 'role', 'topics', 'tools'];
const HEAD_KEYS = ['models', 'targets', ...CASE_KEYS];

/** The keys above the cases of an eval file, for a new file with the same targets. */
export function headOf(text: string, path: string): Mapping {
  return pick(mappingOf(parseYaml(text, path).value), HEAD_KEYS);
}

/** The keys of a case that decide what its target does and how its replies are judged, as written. */
export function keysOfCase(text: string, path: string, id: string): Mapping {
  const { cases } = mappingOf(parseYaml(text, path).value);
  const own = Array.isArray(cases) ? cases.find((one) => mappingOf(one).id === id) : undefined;
  return pick(mappingOf(own), CASE_KEYS);
}

function pick(given: Mapping, keys: readonly string[]): Mapping {
  const kept = Object.entries(given).filter(([key]) => keys.includes(key));
  return Object.fromEntries(kept);
}

/** Whether two files in one folder have the same target. */
export function haveSameTarget(a: Mapping, b: Mapping, name: string): boolean {
  const written = [a, b].map(({ targets }) => JSON.stringify(mappingOf(targets)[name]));
  return written[0] !== undefined && written[0] === written[1];
}

export interface NamedTarget {
  /** Absent for a target that is written in the file's `target`. */
  readonly name?: string;
  readonly type: string;
  readonly isDefault: boolean;
}

/** The targets of a file, the default first. */
export function targetsOf({ targets, target }: Mapping): NamedTarget[] {
  const { type } = mappingOf(target);
  const inline = type === undefined ? [] : [{ type: stringOf(type), isDefault: true }];
  const named = Object.entries(mappingOf(targets)).map(([name, given]) => ({
    name,
    type: stringOf(mappingOf(given).type),
    isDefault: name === target,
  }));
  return [...inline, ...named].sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
}

/**
 * A case that calls a target, as it would be in a file with these keys.
 *
 * @param name of the target; default: the file's target
 * @returns the case, or a sentence that says why it can't be built
 */
export async function caseWithTarget(
  head: Mapping,
  name: string | undefined,
  place: Place,
): Promise<string | { readonly suite: Suite; readonly suiteCase: SuiteCase }> {
  const keys = { ...(name !== undefined && { target: name }), turns: ['.'] };
  const one = { line: 1, id: 'talk', keys, assert: [DEFAULT_CHECK], suggestions: [] };
  const text = evalFileText({ head }, [one]);
  const files = overlayFiles(place.files, (path) => (path === place.path ? text : undefined));
  const { suite, outline, problems } = await loadSuite(place.path, files, place);
  const [suiteCase] = suite?.cases ?? [];
  if (suite && suiteCase) return { suite, suiteCase };
  const error = outline[0]?.errors[0] ?? problems.find(isError);
  return error?.message ?? 'The file has no target.';
}

/** A target that typed text can mean. */
export interface TypedTarget {
  readonly what: string;
  readonly target: Mapping;
}

const PYTHON = 'python3';

/**
 * The targets that typed text can mean, the likeliest first: an address, a file, or a command.
 *
 * @param python the program that runs Python files
 */
export function typedTargets(typed: string, python = PYTHON): TypedTarget[] {
  const text = typed.trim();
  if (text === '') return [];
  if (/^https?:\/\//i.test(text)) {
    const http = { what: 'HTTP service', target: { type: 'http', url: text } };
    const a2a = { what: 'A2A agent', target: { type: 'a2a', url: text } };
    return /\/a2a\b|\.json$/.test(text) ? [a2a, http] : [http, a2a];
  }
  const words = [...text.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(([all, a, b]) => a ?? b ?? all);
  const [first = '', ...others] = words;
  const [, ending = ''] = /\.(\w+)$/.exec(first) ?? [];
  if (others.length === 0 && /^[mc]?[jt]s$/.test(ending)) {
    const path = /^\.{0,2}\//.test(first) ? first : `./${first}`;
    return [{ what: 'function in a file', target: { type: 'module', path } }];
  }
  const programs: Readonly<Record<string, string>> = { py: python, rb: 'ruby', sh: 'sh' };
  const program = programs[ending];
  if (program === undefined)
    return [{ what: 'program', target: { type: 'command', command: words } }];
  const command = [program, ...words];
  return [{ what: `program, started with ${program}`, target: { type: 'command', command } }];
}

/** An assertion type's example on one line, to be edited. */
export function assertionExample({ type, docs }: AssertionType): string {
  const { value } = parseYaml(docs.yaml, 'example.yaml');
  const [first] = Array.isArray(value) ? value : [];
  return assertionLine(exampleIn(value, type) ?? first ?? { type });
}

/** The first assertion of a type, however deeply it is nested. */
function exampleIn(value: unknown, type: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (mappingOf(value).type === type) return value;
  for (const inner of Object.values(value)) {
    const found = exampleIn(inner, type);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A criterion, or an assertion as a mapping on one line; undefined if it is empty or invalid YAML. */
export function readAssertion(line: string): unknown {
  const text = line.trim();
  if (!text.startsWith('{')) return text === '' ? undefined : text;
  const { value, problems } = parseYaml(text, 'assertion.yaml');
  return problems.length > 0 ? undefined : value;
}

export function assertionLine(assertion: unknown): string {
  return typeof assertion === 'string' ? assertion : writeInline(assertion);
}
