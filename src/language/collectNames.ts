import type { AssertionType } from '../assertions/contract.ts';
import { findAssertionType } from '../assertions/registry.ts';
import { type Nodes, waysFrom } from '../assertions/shared/graphNodes.ts';
import { contextKey } from '../assertions/shared/promptVariables.ts';
import { type Mapping, mappingOf, type Path, valueAt } from '../core/data.ts';
import { sharedKeys } from '../evalfile/schema.ts';
import { variablesIn } from '../yaml/scalarText.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import type { GatheredNames } from './gatheredNames.ts';
import type { FileKind } from './name.ts';

/** Where names stand in an eval file, as the format has it. One pass over the data. */
export function collectNames(yaml: YamlDocument, names: GatheredNames): void {
  const file = mappingOf(yaml.value);
  const at: Walk = { yaml, names, models: mappingOf(file.models), scope: '' };
  for (const [name, value] of Object.entries(at.models)) {
    names.addScalar(yaml, 'model', '', 'declaration', ['models', name], 'key');
    modelMapping(value, ['models', name], at);
  }
  for (const [name, value] of Object.entries(mappingOf(file.targets))) {
    names.addScalar(yaml, 'target', '', 'declaration', ['targets', name], 'key');
    targetMapping(value, ['targets', name], at);
  }
  settings(file, [], at);
  for (const [index, reference] of list(file.include))
    fileName('include', reference, ['include', index], at);
  const defaults = { ...at, scope: 'defaults' };
  assertions(mappingOf(file.defaults).assert, ['defaults', 'assert'], defaults);
  for (const [index, one] of list(file.cases)) {
    caseNames(mappingOf(one), ['cases', index], { ...at, scope: `cases/${index}` });
  }
}

interface Walk {
  readonly yaml: YamlDocument;
  readonly names: GatheredNames;
  /** Of the file itself. */
  readonly models: Readonly<Record<string, unknown>>;
  readonly scope: string;
}

function list(value: unknown): Iterable<[number, unknown]> {
  return Array.isArray(value) ? value.entries() : [];
}

/** What a file and a case may both set. */
function settings(given: Mapping, path: Path, walk: Walk): void {
  const { yaml, names } = walk;
  if (typeof given.target === 'string') {
    names.addScalar(yaml, 'target', '', 'use', [...path, 'target']);
  } else {
    targetMapping(given.target, [...path, 'target'], walk);
  }
  model(given.judge, [...path, 'judge'], walk);
  tools(given.tools, [...path, 'tools'], walk);
}

/** A model by its name, or a mapping. `provider:model` is no name of the file's. */
function model(value: unknown, path: Path, walk: Walk): void {
  if (typeof value !== 'string') {
    modelMapping(value, path, walk);
  } else if (!value.includes(':') || Object.hasOwn(walk.models, value)) {
    walk.names.addScalar(walk.yaml, 'model', '', 'use', path);
  }
}

function modelMapping(value: unknown, path: Path, walk: Walk): void {
  fileName('recording', mappingOf(value).path, [...path, 'path'], walk);
}

function targetMapping(value: unknown, path: Path, walk: Walk): void {
  const given = mappingOf(value);
  model(given.model, [...path, 'model'], walk);
  if (given.type === 'module') fileName('module', given.path, [...path, 'path'], walk);
  tools(given.tools, [...path, 'tools'], walk);
  for (const name of Object.keys(mappingOf(given.tool_results))) {
    const at = [...path, 'tool_results', name];
    walk.names.addScalar(walk.yaml, 'tool', '', 'use', at, 'key');
  }
}

/** Plain, or in OpenAI's wrapper: `{type: function, function: {name: …}}`. */
function tools(value: unknown, path: Path, { yaml, names }: Walk): void {
  for (const [index, tool] of list(value)) {
    const wrapped = mappingOf(tool).function === undefined ? [] : ['function'];
    names.addScalar(yaml, 'tool', '', 'declaration', [...path, index, ...wrapped, 'name']);
  }
}

/** Patterns, and what is filled in later, name no one file. */
const PATTERN = /[*?[{]/;
const FILLED_IN = /\{\{|\$\{/;

function fileName(kind: FileKind, value: unknown, path: Path, { yaml, names, scope }: Walk): void {
  if (typeof value !== 'string' || (kind === 'include' ? PATTERN : FILLED_IN).test(value)) return;
  names.addScalar(yaml, kind, scope, 'use', path);
}

function caseNames(given: Mapping, path: Path, walk: Walk): void {
  const { yaml, names, scope } = walk;
  if (typeof given.id === 'string') {
    names.addScalar(yaml, 'case', scope, 'declaration', [...path, 'id']);
  }
  for (const key of Object.keys(mappingOf(given.context))) {
    names.addScalar(yaml, 'variable', scope, 'declaration', [...path, 'context', key], 'key');
  }
  settings(given, path, walk);
  for (const key of ['expectations', 'role']) texts(given[key], [...path, key], walk);
  for (const [index, turn] of list(given.turns)) {
    const at = [...path, 'turns', index];
    const { user, expected, assert } = mappingOf(turn);
    texts(
      turn === null || typeof turn !== 'object' ? turn : user,
      typeof turn === 'string' ? at : [...at, 'user'],
      walk,
    );
    texts(expected, [...at, 'expected'], walk);
    assertions(assert, [...at, 'assert'], walk);
  }
  fileName('transcript', given.transcript, [...path, 'transcript'], walk);
  for (const [index, message] of list(given.transcript)) {
    for (const [call] of list(mappingOf(message).tool_calls)) {
      const at = [...path, 'transcript', index, 'tool_calls', call, 'function', 'name'];
      names.addScalar(yaml, 'tool', '', 'use', at);
    }
  }
  assertions(given.assert, [...path, 'assert'], walk);
}

/** The variables in all texts of a value, but for what `skipped` holds. */
function texts(value: unknown, path: Path, walk: Walk, skipped?: ReadonlySet<unknown>): void {
  if (typeof value === 'string') {
    if (value.includes('{{')) variables(path, walk, (name) => name);
  } else if (typeof value === 'object' && value !== null && !skipped?.has(value)) {
    for (const [key, inner] of Object.entries(value)) {
      texts(inner, [...path, Array.isArray(value) ? Number(key) : key], walk, skipped);
    }
  }
}

function variables(
  path: Path,
  { yaml, names, scope }: Walk,
  keyOf: (variable: string) => string | undefined,
): void {
  const scalar = yaml.scalarAt(path);
  if (!scalar) return;
  for (const { name, range } of variablesIn(yaml, scalar)) {
    const key = keyOf(name);
    if (key === undefined) continue;
    const whole = yaml.rangeOfOffsets(scalar.start, scalar.end);
    const start = range && { line: range.end.line, character: range.end.character - key.length };
    const place = range &&
      start && { range: { start, end: range.end }, style: 'text' as const, text: key, path };
    names.add('variable', key, scope, 'use', place ?? whole);
  }
}

function assertions(value: unknown, path: Path, walk: Walk): void {
  for (const [index, one] of list(value)) assertion(one, [...path, index], walk);
}

/** Keys of a type that hold no text of the case; a type's own key goes before a shared one. */
const SETTINGS = new Map<AssertionType, ReadonlySet<string>>();

function settingsOf(type: AssertionType): ReadonlySet<string> {
  const known = SETTINGS.get(type);
  if (known) return known;
  const shared = sharedKeys(type).filter((key) => !Object.hasOwn(type.params.shape, key));
  const keys = new Set(['type', 'instructions', ...shared]);
  SETTINGS.set(type, keys);
  return keys;
}

function assertion(value: unknown, path: Path, walk: Walk): void {
  if (typeof value === 'string') {
    texts(value, path, walk);
    return;
  }
  const given = mappingOf(value);
  model(given.judge, [...path, 'judge'], walk);
  const type = findAssertionType(given.type);
  if (!type) return;
  if (Object.hasOwn(type.params.shape, 'model')) model(given.model, [...path, 'model'], walk);
  namesOfType(type.type, given, path, walk);
  const nested = nestedOf(type.nesting?.places(given) ?? [], given);
  const skipped = new Set(nested.map(({ inner }) => inner));
  const settingKeys = settingsOf(type);
  for (const [key, inner] of Object.entries(given)) {
    if (!settingKeys.has(key)) texts(inner, [...path, key], walk, skipped);
  }
  for (const { at, inner } of nested) assertion(inner, [...path, ...at], walk);
}

function nestedOf(places: readonly Path[], given: Mapping): { at: Path; inner: unknown }[] {
  return places.map((at) => ({
    at,
    inner: valueAt(given, at),
  }));
}

/** What only assertions of one type name. */
function namesOfType(type: string, given: Mapping, path: Path, walk: Walk): void {
  const { yaml, names } = walk;
  const tool = (at: Path) => names.addScalar(yaml, 'tool', '', 'use', [...path, ...at]);
  if (type === 'llm-judge') {
    fileName('prompt', given.prompt, [...path, 'prompt'], walk);
    if (typeof given.instructions === 'string' && given.instructions.includes('{{')) {
      variables([...path, 'instructions'], walk, contextKey);
    }
  } else if (type === 'script') {
    fileName('script', given.path, [...path, 'path'], walk);
  } else if (type === 'tool-called' || type === 'tool-not-called') {
    tool(['name']);
  } else if (type === 'tool-sequence') {
    for (const [index, one] of list(given.tools)) {
      tool(typeof one === 'string' ? ['tools', index] : ['tools', index, 'name']);
    }
  } else if (type === 'decision-graph') {
    graph(given, path, walk);
  }
}

function graph(given: Mapping, path: Path, { yaml, names }: Walk): void {
  const scope = path.join('/');
  const nodes = mappingOf(given.nodes);
  if (typeof given.start === 'string')
    names.addScalar(yaml, 'node', scope, 'use', [...path, 'start']);
  for (const [name, node] of Object.entries(nodes)) {
    const at = [...path, 'nodes', name];
    names.addScalar(yaml, 'node', scope, 'declaration', at, 'key');
    for (const { key, to } of waysOf(node)) {
      if (typeof to === 'string') names.addScalar(yaml, 'node', scope, 'use', [...at, ...key]);
    }
  }
}

/** Also of a node that is half written. */
function waysOf(
  node: unknown,
): readonly { readonly key: readonly string[]; readonly to: unknown }[] {
  const given = mappingOf(node);
  const whole = { ...given, choices: mappingOf(given.choices) } as unknown as Nodes[string];
  return waysFrom(whole);
}
