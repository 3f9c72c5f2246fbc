import { findAssertionType } from '../../../assertions/registry.ts';
import { waysFrom } from '../../../assertions/shared/graphNodes.ts';
import { type Path, valueAt } from '../../../core/data.ts';
import { evalFileSchema, modelSchema } from '../../../evalfile/schema.ts';
import { keysAt } from '../../../schema/schemaWalk.ts';
import { readTolerantly } from '../../../yaml/markedYaml.ts';
import { type Choice, KINDS } from './items.ts';
import { offerAt } from './options.ts';
import type { Place } from './place.ts';
import { entriesOfCases } from './slice.ts';
import { listed } from './values.ts';

/**
 * Names that stand elsewhere in the file and that can be referred to here.
 *
 * @param including the data of a suite that includes the file, whose names hold here too
 */
export function nameChoices(given: Place, text: string, including?: unknown): Choice[] {
  const place = { ...given, root: withNamesOf(including, given.root) };
  const { root, path } = place;
  const last = path.at(-1);
  if (last === 'judge' || last === 'model' || path[0] === 'models') return models(root, path);
  if (last === 'target' && knows(root, path)) return names(root, 'targets', 'target');
  if (path.at(-2) === 'tags' && typeof last === 'number') return tags(root, path, text);
  if (path.at(-2) === 'topics' && path[0] === 'cases') return topics(root, path);
  if (namesTool(root, path)) return toolNames(place).map(toolChoice);
  return nodes(root, path);
}

function withNamesOf(including: unknown, root: unknown): unknown {
  if (typeof including !== 'object' || including === null) return root;
  const { models, targets, tools, topics } = { ...including } as Record<string, unknown>;
  return { models, targets, tools, topics, ...Object(root) };
}

/** Names of tools as keys: of scripted `tool_results`. */
export function toolKeys(place: Place): Choice[] {
  const { root, path } = place;
  const owner = path.slice(0, -1);
  if (owner.at(-1) !== 'tool_results' || !knows(root, owner)) return [];
  const there = Object.keys(Object(valueAt(root, owner)));
  return toolNames(place)
    .filter((name) => !there.includes(name))
    .map(toolChoice);
}

/** Whether the schema knows the key that the path ends with. */
export function knows(root: unknown, path: Path): boolean {
  return keysAt(evalFileSchema, root, path.slice(0, -1)).some(({ name }) => name === path.at(-1));
}

function models(root: unknown, path: Path): Choice[] {
  const declared = path[0] === 'models';
  if (declared && path.length !== 2) return [];
  if (!declared && (!knows(root, path) || isOfModel(root, path))) return [];
  return [...(declared ? [] : names(root, 'models', 'model')), ...shortForms(root)];
}

/** The `model` of a mapping with a `provider` is the provider's name for it. */
function isOfModel(root: unknown, path: Path): boolean {
  const { options } = offerAt(root, path.slice(0, -1), {});
  return options.some(({ key }) => key === 'provider');
}

/** `provider:model` as it stands elsewhere in the file, and the providers that can be written so. */
export function shortForms(root: unknown): Choice[] {
  const file = Object(root);
  const mappings = [...Object.values(Object(file.models)), ...Object.values(Object(file.targets))];
  const seen = [file.judge, ...mappings, ...mappings.map((one) => Object(one).model)];
  const providers = offerAt({}, [], {}, modelSchema).options.filter(({ keys }) =>
    keys.every(({ name, required }) => !required || name === 'provider' || name === 'model'),
  );
  const known = providers.map(({ value }) => `${value}:`);
  const written = seen.filter(
    (one): one is string =>
      typeof one === 'string' && known.some((start) => one.startsWith(start) && one !== start),
  );
  return [
    ...[...new Set(written)].map((one) => ({ label: one, kind: KINDS.reference, detail: 'model' })),
    ...providers.map(({ value, documentation }) => ({
      label: `${value}:`,
      kind: KINDS.module,
      detail: 'provider:model',
      documentation,
      rank: 6,
      begun: true,
    })),
  ];
}

function names(root: unknown, list: string, detail: string): Choice[] {
  return Object.keys(Object(valueAt(root, [list]))).map((name) => ({
    label: name,
    kind: KINDS.reference,
    detail,
    rank: 4,
  }));
}

function tags(root: unknown, path: Path, text: string): Choice[] {
  if (!knows(root, path.slice(0, -1))) return [];
  const there = listed(root, path.slice(0, -1));
  const others = entriesOfCases(text, 'tags').flatMap((entry) =>
    listed(readTolerantly(entry), ['tags']),
  );
  const all = new Set([...listed(root, ['defaults', 'tags']), ...others]);
  return [...all]
    .filter((tag) => !there.includes(tag))
    .map((tag) => ({ label: tag, kind: KINDS.value, detail: 'tag' }));
}

function topics(root: unknown, path: Path): Choice[] {
  const there = listed(root, path.slice(0, -1));
  return listed(root, ['topics'])
    .filter((topic) => !there.includes(topic))
    .map((topic) => ({ label: topic, kind: KINDS.value, detail: 'topic' }));
}

/** In the assertions about tools, and in the calls of a transcript. */
function namesTool(root: unknown, path: Path): boolean {
  const last = path.at(-1);
  if (last === 'name' && path.includes('tool_calls')) return true;
  const [owner, key] =
    path.at(-2) === 'tools'
      ? [path.slice(0, -2), 'tools']
      : path.at(-3) === 'tools' && last === 'name'
        ? [path.slice(0, -3), 'tools']
        : [path.slice(0, -1), 'name'];
  if (key === 'name' && last !== 'name') return false;
  const type = findAssertionType(Object(valueAt(root, owner)).type);
  // A type's own `name` is a tool's; that of others is a label.
  return type !== undefined && Object.hasOwn(type.params.shape, key);
}

function toolChoice(name: string): Choice {
  return { label: name, kind: KINDS.reference, detail: 'tool' };
}

/** The tools of the case, else of the file; those of the targets; those that a transcript calls. */
function toolNames(place: Place): string[] {
  const file = Object(place.root);
  const own = Object(place.wholeCase());
  const targets = Object.values(Object(file.targets)).map(Object);
  const declared = [own.tools ?? file.tools, ...targets.map(({ tools }) => tools)].flatMap(items);
  const called = items(own.transcript).flatMap((message) => items(Object(message).tool_calls));
  const found = [...declared, ...called].map((tool) => {
    const { name, function: inner } = Object(tool);
    return name ?? Object(inner).name;
  });
  const scripted = targets.flatMap(({ tool_results }) => Object.keys(Object(tool_results)));
  const marked = valueAt(place.root, place.path);
  return [...new Set([...found, ...scripted])].filter(
    (name): name is string =>
      typeof name === 'string' && name !== marked && name !== place.path.at(-1),
  );
}

function items(list: unknown): unknown[] {
  return Array.isArray(list) ? list : [];
}

/** The nodes of a decision graph, where a branch or its start names one. */
function nodes(root: unknown, path: Path): Choice[] {
  const last = path.at(-1);
  const at = path.lastIndexOf('nodes');
  const graph = last === 'start' ? path.slice(0, -1) : path.slice(0, at);
  if (
    last !== 'start' &&
    (at < 0 || !isBranch(valueAt(root, path.slice(0, at + 2)), path.slice(at + 2)))
  ) {
    return [];
  }
  const { type, nodes } = Object(valueAt(root, graph));
  if (!Object.hasOwn(Object(findAssertionType(type)?.params.shape), 'nodes')) return [];
  return Object.entries(Object(nodes))
    .filter(([name]) => last === 'start' || name !== path[at + 1])
    .map(([name, node]) => ({
      label: name,
      kind: KINDS.reference,
      detail: `${Object(node).type ?? ''} node`.trim(),
    }));
}

function isBranch(node: unknown, key: Path): boolean {
  const given = { choices: {}, ...Object(node) };
  const ways = waysFrom({ ...given, choices: Object(given.choices) });
  return ways.some((way) => way.key.join('\n') === key.join('\n'));
}
