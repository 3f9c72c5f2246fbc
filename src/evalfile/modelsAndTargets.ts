import { dirname } from 'node:path';
import type * as z from 'zod';
import { type Mapping, mappingOf, valueAt } from '../core/data/data.ts';
import {
  environmentNames,
  hasEnvReference,
  isUserReference,
  substituteEnv,
} from '../core/environment.ts';
import { isFileKind } from '../core/meaning.ts';
import { type Tool, toolsSchema, unwrapTools } from '../core/message.ts';
import { START, suggestionsOf } from '../core/problem.ts';
import { Scrubber } from '../core/scrubber.ts';
import type { ModelSpec, TargetSpec } from '../core/suite.ts';
import { nearest } from '../core/text/closest.ts';
import { truncateList } from '../core/text/format.ts';
import { findProvider, parseModelSpec } from '../models/registry.ts';
import { validate } from '../schema/issues.ts';
import { mentionsIn } from '../schema/mentions.ts';
import { findTargetType } from '../targets/registry.ts';
import { findReferenced } from './referencedFiles.ts';
import { type Location, type Scope, within } from './scope.ts';
import { modelSchema, targetSchema } from './targetSchema.ts';

/**
 * Resolves a model: a name in `models`, `provider:model`, or a mapping. Undefined if none is set, or after reporting
 * why it can't be resolved.
 */
export async function resolveModel(
  value: unknown,
  location: Location,
  scope: Scope,
): Promise<ModelSpec | undefined> {
  if (value === undefined) return undefined;
  if (typeof value === 'string') {
    const models = scope.file.models ?? {};
    if (Object.hasOwn(models, value)) {
      return modelOf(models[value], declarationOf('models', value, location, scope), scope);
    }
    if (!value.includes(':')) return unknownName(value, models, 'model', location, scope);
    return shortModel(value, location, scope);
  }
  return modelOf(value, location, scope);
}

async function modelOf(
  value: unknown,
  location: Location,
  scope: Scope,
): Promise<ModelSpec | undefined> {
  if (typeof value === 'string') return shortModel(value, location, scope);
  const given = await keysOf(value, location, scope, modelSchema);
  const { provider, model } = given.params;
  return {
    id: `${String(provider)}:${String(model)}`,
    provider: String(provider),
    ...given,
    ...sentWith(given.written),
    folder: dirname(location.document.path),
  };
}

function shortModel(value: string, location: Location, scope: Scope): ModelSpec | undefined {
  const { value: text, filled } = substituteEnv(value, scope.options.env);
  const parsed = parseModelSpec(String(text), dirname(location.document.path));
  if ('spec' in parsed) {
    const written = { model: value };
    return { ...parsed.spec, ...(filled && { written, ...sentWith(written) }) };
  }
  const scrubber = new Scrubber();
  for (const name of environmentNames(value)) scrubber.add(name, scope.options.env(name));
  scope.reporter.report('unknown-model', scrubber.text(parsed.problem), location);
  return undefined;
}

function sentWith(written: ModelSpec['written']): Pick<ModelSpec, 'sends' | 'ownAddress'> {
  return written
    ? { sends: environmentNames(written), ownAddress: isUserReference(written.base_url) }
    : {};
}

/** Applies the command line's judge. */
export async function overrideJudge(
  judge: ModelSpec | undefined,
  scope: Scope,
): Promise<ModelSpec | undefined> {
  const { judge: name, baseUrl, isOwnAddress = true } = scope.options.judgeOverride ?? {};
  const chosen = name === undefined ? judge : await modelFromOptions(name, scope);
  if (!chosen || baseUrl === undefined) return chosen;
  const params = { ...chosen.params, base_url: baseUrl };
  const checked = findProvider(chosen.provider)?.schema.safeParse(params);
  const [issue] = checked?.error?.issues ?? [];
  if (!issue) return { ...chosen, params, ownAddress: isOwnAddress };
  // From the command line, or from the record of a resumed run.
  const problem = `The judge "${chosen.id}" cannot be asked at "${baseUrl}". ${issue.message}`;
  scope.reporter.report(
    'unknown-model',
    problem,
    { document: scope.document, path: [] },
    { range: START },
  );
  return undefined;
}

/** A judge that the command line, the settings or the environment names; also one of the file's. */
export async function modelFromOptions(name: string, scope: Scope): Promise<ModelSpec | undefined> {
  const { options, reporter, document, file } = scope;
  if (Object.hasOwn(file.models ?? {}, name)) {
    return resolveModel(name, { document, path: ['models', name] }, scope);
  }
  const parsed = parseModelSpec(name, options.workspace);
  if ('spec' in parsed) return parsed.spec;
  reporter.report('unknown-model', parsed.problem, { document, path: [] }, { range: START });
  return undefined;
}

/** Resolves a target: a name in `targets`, or a mapping. */
export async function resolveTarget(
  value: unknown,
  location: Location,
  offered: OfferedTools | undefined,
  scope: Scope,
): Promise<TargetSpec | undefined> {
  const targets = scope.file.targets ?? {};
  if (typeof value !== 'string') return targetOf(undefined, value, location, offered, scope);
  if (!Object.hasOwn(targets, value)) {
    return unknownName(value, targets, 'target', location, scope);
  }
  const named = declarationOf('targets', value, location, scope);
  const found = targets[value];
  if (typeof found === 'string') {
    const message = `The target "${value}" must be a mapping with a \`type\`.`;
    scope.reporter.report('wrong-type', message, named);
    return undefined;
  }
  return targetOf(value, found, named, offered, scope);
}

async function targetOf(
  name: string | undefined,
  value: unknown,
  location: Location,
  offered: OfferedTools | undefined,
  scope: Scope,
): Promise<TargetSpec | undefined> {
  const given = await keysOf(value, location, scope, targetSchema);
  const { params } = given;
  warnOfUnset(params, location, scope);
  const type = String(params.type);
  const tools = toolsSchema.safeParse(params.tools).data;
  const spec = {
    name: name ?? type,
    type,
    ...given,
    folder: dirname(location.document.path),
    ...(typeof params.system === 'string' && { system: params.system }),
    ...(tools && { tools: unwrapTools(tools) }),
  };
  checkTools(spec, location, offered, scope);
  checkCache(spec, location, scope);
  if (params.model === undefined) {
    if (type !== 'chat') return spec;
    const message = 'A chat target needs a `model` to play the assistant.';
    scope.reporter.reportOnKey('missing-key', message, location, {
      fix: { add: { to: location.path, key: 'model' } },
    });
    return undefined;
  }
  const model = await resolveModel(mappingOf(value).model, within(location, 'model'), scope);
  if (!model) return undefined;
  // The target's texts are sent to its model.
  const sends = [...(model.sends ?? []), ...environmentNames(given.written)];
  return { ...spec, model: { ...model, sends } };
}

/** Warns about unset variables that user code should get. */
export function warnOfUnset({ pass_env }: Mapping, location: Location, scope: Scope): void {
  const passed: readonly string[] = Array.isArray(pass_env) ? pass_env : [];
  for (const [index, name] of passed.entries()) {
    if (scope.options.env(name) !== undefined) continue;
    const place = within(location, 'pass_env', index);
    scope.reporter.report(...unset(name), place, { severity: 'warning' });
  }
}

/** The keys of a model or target, environment variables filled in, the files that they name found. */
async function keysOf(
  value: unknown,
  location: Location,
  scope: Scope,
  schema: z.ZodType,
): Promise<Pick<ModelSpec, 'params' | 'written'>> {
  const { value: params, filled, unset: names } = substituteEnv(value, scope.options.env);
  for (const name of names) {
    scope.reporter.reportOnKey(...unset(name), location, { severity: 'warning' });
  }
  if (filled) reportBadVariables(value, params, location, scope, schema);
  const given = mappingOf(params);
  for (const { kind, text, path } of mentionsIn(schema, given).names) {
    // The model of a target is read by itself.
    if (path.length > 1 || !isFileKind(kind) || hasEnvReference(text)) continue;
    await findReferenced(text, within(location, ...path), kind, scope);
  }
  return { params: { ...given }, ...(filled && { written: mappingOf(value) }) };
}

/** Reports variables whose values aren't valid where they're used. The value may be a secret, so it isn't shown. */
function reportBadVariables(
  written: unknown,
  params: unknown,
  location: Location,
  { reporter }: Scope,
  schema: z.ZodType,
): void {
  for (const { issue, path } of validate(schema, params).leaves) {
    const names = environmentNames(valueAt(written, path));
    if (names.length === 0) continue;
    const message = `The value of ${names.join(', ')} cannot be used here. ${issue.message}`;
    reporter.report('bad-variable', message, within(location, ...path));
  }
}

function unset(variable: string): [code: string, message: string] {
  const message = `The environment variable ${variable} is not set. Set it before running this.`;
  return ['unset-variable', message];
}

/** A declared name. Its problems are reported there, and keep the case that uses it from running. */
function declarationOf(
  list: 'models' | 'targets',
  name: string,
  { owner }: Location,
  { document }: Scope,
): Location {
  return { document, path: [list, name], owner };
}

function unknownName(
  name: string,
  declared: object,
  kind: 'model' | 'target',
  location: Location,
  scope: Scope,
): undefined {
  // Names that are not known cannot be missed.
  if (scope.invalidKeys.has(`${kind}s`)) return undefined;
  const { known, listed } = namesIn(declared);
  const near = nearest(name, known);
  const [meant] = near;
  const names = known.length === 0 ? `\`${kind}s\` is empty.` : `Known: ${listed}.`;
  const hint = meant ? `Did you mean "${meant}"?` : names;
  const form = kind === 'model' ? ' Or use provider:model, such as openai:gpt-5-mini.' : '';
  const message = `There is no ${kind} "${name}". ${hint}${form}`;
  scope.reporter.report('unknown-name', message, location, suggestionsOf(near));
  return undefined;
}

interface Names {
  readonly known: readonly string[];
  readonly listed: string;
}

/** Thousands of cases can each refer to an unknown name. */
const NAMES = new WeakMap<object, Names>();

function namesIn(declared: object): Names {
  const found = NAMES.get(declared);
  if (found) return found;
  const known = Object.keys(declared);
  const names = { known, listed: truncateList(known) };
  NAMES.set(declared, names);
  return names;
}

/** The tools that a case offers to its target, with their location. */
export interface OfferedTools {
  readonly tools: readonly Tool[];
  readonly location: Location;
}

/**
 * Reports tools whose calls nothing can answer, before a model costs money.
 *
 * @param location of the target
 */
function checkTools(
  target: TargetSpec,
  location: Location,
  offered: OfferedTools | undefined,
  { reporter }: Scope,
): void {
  const sent = target.tools
    ? { tools: target.tools, location: within(location, 'tools') }
    : offered;
  if (!sent) return;
  const place = { ...sent.location, owner: location.owner };
  const lost = findTargetType(target.type)?.unansweredTools?.(target.params, sent.tools) ?? [];
  // A fix is an edit of the problem's own document.
  const fixable = sent.location.document === location.document;
  if (lost.length > 0 && target.params.tool_results === undefined) {
    const message = `"${target.name}" has no answers for calls of these tools. Add \`tool_results\`, or a \`tool_module\` with a function for each tool.`;
    reporter.reportOnKey('unanswered-tool', message, place, {
      ...(fixable && { fix: { add: { to: location.path, key: 'tool_results' } } }),
    });
    return;
  }
  for (const tool of lost) {
    const message = `"${target.name}" has no answer for calls of ${tool.name}. Add one to the target's \`tool_results\`, or set a \`tool_module\`.`;
    const to = [...location.path, 'tool_results'];
    reporter.report('unanswered-tool', message, within(place, sent.tools.indexOf(tool)), {
      ...(fixable && { fix: { add: { to, key: tool.name } } }),
    });
  }
}

/**
 * Reports `cache` for a target with its own session: a service that didn't get one turn doesn't know it in the next.
 */
function checkCache(target: TargetSpec, location: Location, { reporter }: Scope): void {
  const keepsSession = findTargetType(target.type)?.keepsSession?.(target.params);
  if (target.params.cache !== true || !keepsSession) return;
  const key = within(location, 'cache');
  const message = `"${target.name}" keeps the conversation in its own session, so its replies cannot come from the cache. Remove \`cache\`.`;
  reporter.reportOnKey('cache-refused', message, key, { fix: { remove: key.path } });
}

/** Reports keys that the target needs and that the case's `context` lacks. */
export function checkContextKeys(
  { name, type, params }: TargetSpec,
  context: Readonly<Record<string, unknown>>,
  location: Location,
  { reporter }: Scope,
): void {
  for (const key of findTargetType(type)?.contextKeys?.(params) ?? []) {
    if (Object.hasOwn(context, key)) continue;
    const message = `The target "${name}" needs the key \`${key}\` of the case's \`context\`, and the case has none.`;
    reporter.reportOnKey('unknown-variable', message, location);
  }
}
