import { dirname } from 'node:path';
import type * as z from 'zod';
import { type Mapping, mappingOf, memoize, stringOf, valueAt } from '../core/data/data.ts';
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
import type { TargetVariant } from './case/caseSources.ts';
import { findReferenced, readReferenced } from './referencedFiles.ts';
import { type Location, report, reportOnKey, type Scope, topLevelAt, within } from './scope.ts';
import { modelSchema, targetSchema } from './targetSchema.ts';

/**
 * Resolves a model: a name in `models`, `provider:model`, or a mapping. Undefined if none is set, or if it can't be
 * resolved; the latter is reported.
 */
export async function resolveModel(
  value: unknown,
  location: Location,
): Promise<ModelSpec | undefined> {
  if (value === undefined) return undefined;
  if (typeof value === 'string') {
    const models = location.scope.file.models ?? {};
    if (Object.hasOwn(models, value)) {
      return modelOf(models[value], topLevelAt(location, 'models', value));
    }
    if (!value.includes(':')) return unknownName(value, models, 'model', location);
  }
  return modelOf(value, location);
}

async function modelOf(value: unknown, location: Location): Promise<ModelSpec | undefined> {
  if (typeof value === 'string') return shortModel(value, location);
  const given = await keysOf(value, location, modelSchema);
  const { provider, model } = given.params;
  return {
    id: `${stringOf(provider)}:${stringOf(model)}`,
    provider: stringOf(provider),
    ...given,
    ...sentWith(given.written),
    folder: dirname(location.document.path),
  };
}

function shortModel(value: string, location: Location): ModelSpec | undefined {
  const { env } = location.scope.options;
  const { value: text, filled } = substituteEnv(value, env);
  const parsed = parseModelSpec(stringOf(text), dirname(location.document.path));
  if ('spec' in parsed) {
    const written = { model: value };
    return { ...parsed.spec, ...(filled && { written, ...sentWith(written) }) };
  }
  const scrubber = new Scrubber();
  for (const name of environmentNames(value)) scrubber.add(name, env(name));
  const meant = filled ? [] : (parsed.meant ?? []);
  report('unknown-model', scrubber.text(parsed.problem), location, suggestionsOf(meant));
  return undefined;
}

function sentWith(written: ModelSpec['written']): Pick<ModelSpec, 'sends' | 'ownAddress'> {
  return written
    ? { sends: environmentNames(written), ownAddress: isUserReference(written.base_url) }
    : {};
}

/** Applies the judge from the command line. */
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
  // The address is from the command line, or from the record of a resumed run.
  const problem = `The judge "${chosen.id}" can't be used at "${baseUrl}". ${issue.message}`;
  report('unknown-model', problem, topLevelAt({ scope }), { range: START });
  return undefined;
}

/** Resolves a judge from the command line, the settings, or the environment. It may be a name in `models`. */
export async function modelFromOptions(name: string, scope: Scope): Promise<ModelSpec | undefined> {
  if (Object.hasOwn(scope.file.models ?? {}, name)) {
    return resolveModel(name, topLevelAt({ scope }, 'models', name));
  }
  const parsed = parseModelSpec(name, scope.options.workspace);
  if ('spec' in parsed) return parsed.spec;
  report('unknown-model', parsed.problem, topLevelAt({ scope }), { range: START });
  return undefined;
}

/** Resolves a target: a name in `targets`, or a mapping. @param variant the variant whose changes to apply */
export async function resolveTarget(
  value: unknown,
  location: Location,
  offered: OfferedTools | undefined,
  variant?: TargetVariant,
): Promise<TargetSpec | undefined> {
  if (typeof value !== 'string') return targetOf(undefined, value, location, offered, variant);
  const targets = location.scope.file.targets ?? {};
  if (!Object.hasOwn(targets, value)) return unknownName(value, targets, 'target', location);
  const named = topLevelAt(location, 'targets', value);
  const found = targets[value];
  if (typeof found === 'string') {
    const message = `The target "${value}" must be a mapping with a \`type\`.`;
    report('wrong-type', message, named);
    return undefined;
  }
  return targetOf(value, found, named, offered, variant);
}

async function targetOf(
  name: string | undefined,
  declared: unknown,
  location: Location,
  offered: OfferedTools | undefined,
  variant: TargetVariant | undefined,
): Promise<TargetSpec | undefined> {
  const { target: _, ...changes } = variant?.changes ?? {};
  const { system: _system, ...others } = mappingOf(declared);
  const kept = changes.system === undefined ? mappingOf(declared) : others;
  const value = {
    ...(await withSystemText(kept, location)),
    ...(variant && (await withSystemText(changes, variant.location))),
  };
  const own = environmentNames(changes);
  const placeOf = (key: string) => (variant && own.includes(key) ? variant.location : location);
  const given = await keysOf(value, location, targetSchema, placeOf);
  const { params } = given;
  warnOfUnset(params, location);
  const type = stringOf(params.type);
  const tools = toolsSchema.safeParse(params.tools).data;
  const spec = {
    name: name ?? type,
    type,
    ...given,
    folder: dirname(location.document.path),
    ...(typeof params.system === 'string' && { system: params.system }),
    ...(tools && { tools: unwrapTools(tools) }),
  };
  if (variant && changes.model !== undefined && type !== 'chat') {
    const key = within(variant.location, 'model');
    const message = `\`model\` works only with a chat target, and "${spec.name}" has the type ${type}. Remove it.`;
    reportOnKey('useless-key', message, key, { fix: { remove: key.path } });
    return undefined;
  }
  checkTools(spec, location, offered);
  checkCache(spec, location);
  if (params.model === undefined) {
    if (type !== 'chat') return spec;
    const message = 'A chat target needs a `model` to play the assistant.';
    reportOnKey('missing-key', message, location, {
      fix: { add: { to: location.path, key: 'model' } },
    });
    return undefined;
  }
  const place = variant && changes.model !== undefined ? variant.location : location;
  const model = await resolveModel(value.model, within(place, 'model'));
  if (!model) return undefined;
  // Environment variables in the target's text are also sent to its model, except those for MCP servers.
  const { mcp_servers: _servers, ...sent } = given.written ?? {};
  const sends = [...(model.sends ?? []), ...environmentNames(sent)];
  return { ...spec, model: { ...model, sends } };
}

/** The target with the text of the file that its `system` refers to, as if the text were written there. */
async function withSystemText(target: Mapping, location: Location): Promise<Mapping> {
  const { system, ...keys } = target;
  const { file } = mappingOf(system);
  if (typeof file !== 'string') return target;
  const { value: path } = substituteEnv(file, location.scope.options.env);
  const place = within(location, 'system', 'file');
  const read = await readReferenced(String(path), place, 'text');
  const text = read?.text.replace(/^\uFEFF/, '').trim() ?? '';
  if (read && text === '') report('empty-file', `The file "${path}" is empty.`, place);
  return { ...keys, ...(text !== '' && { system: text }) };
}

/** Warns about unset variables that user code should get. */
export function warnOfUnset({ pass_env }: Mapping, location: Location): void {
  const passed: readonly string[] = Array.isArray(pass_env) ? pass_env : [];
  for (const [index, name] of passed.entries()) {
    if (location.scope.options.env(name) !== undefined) continue;
    report(...unset(name), within(location, 'pass_env', index), { severity: 'warning' });
  }
}

/**
 * Fills in the environment variables of a model or target, and checks the files that it refers to.
 *
 * @param placeOf returns the location of a variable's name
 */
async function keysOf(
  value: unknown,
  location: Location,
  schema: z.ZodType,
  placeOf: (variable: string) => Location = () => location,
): Promise<Pick<ModelSpec, 'params' | 'written'>> {
  const { env } = location.scope.options;
  const { value: params, filled, unset: names } = substituteEnv(value, env);
  for (const name of names) {
    reportOnKey(...unset(name), placeOf(name), { severity: 'warning' });
  }
  if (filled) reportBadVariables(value, params, location, schema);
  const given = mappingOf(params);
  for (const { kind, text, path } of mentionsIn(schema, given).names) {
    // A target's model is read separately.
    if (path.length > 1 || !isFileKind(kind) || hasEnvReference(text)) continue;
    await findReferenced(text, within(location, ...path), kind);
  }
  return { params: { ...given }, ...(filled && { written: mappingOf(value) }) };
}

/** Reports variables with invalid values. The messages don't show the values, which may be secret. */
function reportBadVariables(
  written: unknown,
  params: unknown,
  location: Location,
  schema: z.ZodType,
): void {
  for (const { issue, path } of validate(schema, params).leaves) {
    const names = environmentNames(valueAt(written, path));
    if (names.length === 0) continue;
    const message = `The value of ${names.join(', ')} cannot be used here. ${issue.message}`;
    report('bad-variable', message, within(location, ...path));
  }
}

function unset(variable: string): [code: string, message: string] {
  const message = `The environment variable ${variable} is not set. Set it before you run the file.`;
  return ['unset-variable', message];
}

function unknownName(
  name: string,
  declared: object,
  kind: 'model' | 'target',
  location: Location,
): undefined {
  if (location.scope.invalidKeys.has(`${kind}s`)) return undefined;
  const { known, listed } = namesIn(declared);
  const similar = nearest(name, known);
  const near = similar.length === 0 && kind === 'model' ? withProvider(name) : similar;
  const [meant] = near;
  const names = known.length === 0 ? `\`${kind}s\` is empty.` : `Known: ${listed}.`;
  const hint = meant ? `Did you mean "${meant}"?` : names;
  const form = kind === 'model' ? ' Or use provider:model, such as openai:gpt-5-mini.' : '';
  const message = `There is no ${kind} "${name}". ${hint}${form}`;
  report('unknown-name', message, location, suggestionsOf(near));
  return undefined;
}

/** A model's name with its provider: `openai/gpt-5-mini`, `gpt-5-mini`. */
function withProvider(name: string): string[] {
  const [, provider = '', model = ''] = /^([\w-]+)\/(.+)$/.exec(name) ?? [];
  if (findProvider(provider)) return [`${provider}:${model}`];
  return /^(?:gpt-|o\d)/.test(name) ? [`openai:${name}`] : [];
}

/** Cached, because thousands of cases may refer to the same unknown name. */
const namesIn = memoize((declared: object) => {
  const known = Object.keys(declared);
  return { known, listed: truncateList(known) };
});

/** The tools that a case offers to its target, with their location. */
export interface OfferedTools {
  readonly tools: readonly Tool[];
  readonly location: Location;
}

/**
 * Reports tools whose calls nothing can answer, before a model costs money.
 *
 * @param location the target's location
 */
function checkTools(
  target: TargetSpec,
  location: Location,
  offered: OfferedTools | undefined,
): void {
  const sent = target.tools
    ? { tools: target.tools, location: within(location, 'tools') }
    : offered;
  if (!sent) return;
  warnOfApprovals(target, sent.tools, location);
  const place = { ...sent.location, owner: location.owner };
  const lost = findTargetType(target.type)?.unansweredTools?.(target.params, sent.tools) ?? [];
  // A fix can edit only the problem's own document.
  const fixable = sent.location.document === location.document;
  if (lost.length > 0 && target.params.tool_results === undefined) {
    const message = `"${target.name}" has no answers for calls to these tools. Add \`tool_results\`, or a \`tool_module\` with a function for each tool.`;
    reportOnKey('unanswered-tool', message, place, {
      ...(fixable && { fix: { add: { to: location.path, key: 'tool_results' } } }),
    });
    return;
  }
  for (const tool of lost) {
    const message = `"${target.name}" has no answer for calls to ${tool.name}. Add one to the target's \`tool_results\`, or set a \`tool_module\`.`;
    const to = [...location.path, 'tool_results'];
    report('unanswered-tool', message, within(place, sent.tools.indexOf(tool)), {
      ...(fixable && { fix: { add: { to, key: tool.name } } }),
    });
  }
}

/** Warns about misspelled tool names in `approve`, because those tools would run without approval. */
function warnOfApprovals({ params }: TargetSpec, tools: readonly Tool[], location: Location): void {
  const names = tools.map(({ name }) => name);
  for (const name of Object.keys(mappingOf(params.approve))) {
    const near = names.includes(name) ? [] : nearest(name, names);
    if (near.length === 0) continue;
    const message = `There is no tool "${name}" in \`tools\`. Did you mean "${near[0]}"?`;
    reportOnKey('unknown-tool', message, within(location, 'approve', name), {
      severity: 'warning',
      ...suggestionsOf(near),
    });
  }
}

/**
 * Reports `cache` for a target that keeps its own session, because the session would lack turns answered from the
 * cache.
 */
function checkCache(target: TargetSpec, location: Location): void {
  const keepsSession = findTargetType(target.type)?.keepsSession?.(target.params);
  if (target.params.cache !== true || !keepsSession) return;
  const key = within(location, 'cache');
  const message = `"${target.name}" keeps the conversation in its own session, so its replies cannot come from the cache. Remove \`cache\`.`;
  reportOnKey('cache-refused', message, key, { fix: { remove: key.path } });
}

/** Reports keys that the target needs but that are missing from the case's `context`. */
export function checkContextKeys(
  { name, type, params }: TargetSpec,
  context: Mapping,
  location: Location,
): void {
  for (const key of findTargetType(type)?.contextKeys?.(params) ?? []) {
    if (Object.hasOwn(context, key)) continue;
    const message = `The target "${name}" needs the key \`${key}\`, which is missing from the case's \`context\`.`;
    reportOnKey('unknown-variable', message, location);
  }
}
