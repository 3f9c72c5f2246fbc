import { dirname } from 'node:path';
import { nearest } from '../core/closest.ts';
import { mappingOf } from '../core/data.ts';
import { substituteEnv } from '../core/environment.ts';
import { START } from '../core/problem.ts';
import type { ModelSpec, TargetSpec } from '../core/suite.ts';
import { parseModelSpec } from '../models/registry.ts';
import { outsideMessage, staysInside } from './paths.ts';
import { keyPlaceOf, placeOf, type Scope, type Spot, within } from './scope.ts';

/**
 * The model that a value names: a name in `models`, `provider:model`, or a mapping. Undefined where
 * there is none; the reason has been reported.
 */
export function resolveModel(value: unknown, spot: Spot, scope: Scope): ModelSpec | undefined {
  if (typeof value === 'string') {
    const models = scope.file.models ?? {};
    if (Object.hasOwn(models, value)) {
      const named: Spot = { document: scope.document, path: ['models', value] };
      // Owner kept: the mistake is told at the model, and stops the case that uses it.
      return modelOf(models[value], { ...named, ...ownerOf(spot) }, scope);
    }
    if (!value.includes(':')) return unknownName(value, Object.keys(models), 'model', spot, scope);
    return shortModel(value, spot, scope);
  }
  return modelOf(value, spot, scope);
}

function modelOf(value: unknown, spot: Spot, scope: Scope): ModelSpec | undefined {
  if (typeof value === 'string') return shortModel(value, spot, scope);
  const given = keysOf(value, spot, scope);
  const { provider, model } = given.params;
  return {
    id: `${String(provider)}:${String(model)}`,
    provider: String(provider),
    ...given,
    folder: dirname(spot.document.path),
  };
}

function shortModel(value: string, spot: Spot, scope: Scope): ModelSpec | undefined {
  const { value: text, filled } = substituteEnv(value, scope.options.env);
  const parsed = parseModelSpec(String(text), dirname(spot.document.path));
  if ('spec' in parsed) return { ...parsed.spec, ...(filled && { written: { model: value } }) };
  scope.reporter.say('unknown-model', parsed.problem, placeOf(spot), spot.owner);
  return undefined;
}

/** The judge that the command line puts in the place of a case's own. */
export function overrideJudge(judge: ModelSpec | undefined, scope: Scope): ModelSpec | undefined {
  const { judge: name, baseUrl } = scope.options.judgeOverride ?? {};
  const chosen = name === undefined ? judge : outsideModel(name, scope);
  if (!chosen || baseUrl === undefined) return chosen;
  return { ...chosen, params: { ...chosen.params, base_url: baseUrl } };
}

/** A judge that the command line, the settings or the environment names; also one of the file's. */
export function outsideModel(name: string, scope: Scope): ModelSpec | undefined {
  const { options, reporter, document, file } = scope;
  if (Object.hasOwn(file.models ?? {}, name)) {
    return resolveModel(name, { document, path: ['models', name] }, scope);
  }
  const parsed = parseModelSpec(name, options.workspace);
  if ('spec' in parsed) return parsed.spec;
  reporter.say('unknown-model', parsed.problem, { path: document.path, range: START });
  return undefined;
}

/** The target that a value names: a name in `targets`, or a mapping. */
export function resolveTarget(value: unknown, spot: Spot, scope: Scope): TargetSpec | undefined {
  const targets = scope.file.targets ?? {};
  if (typeof value !== 'string') return targetOf(undefined, value, spot, scope);
  if (!Object.hasOwn(targets, value)) {
    return unknownName(value, Object.keys(targets), 'target', spot, scope);
  }
  const named: Spot = { document: scope.document, path: ['targets', value], ...ownerOf(spot) };
  const found = targets[value];
  if (typeof found === 'string') {
    const message = `The target "${value}" must be a mapping with a \`type\`.`;
    scope.reporter.say('wrong-type', message, placeOf(named), spot.owner);
    return undefined;
  }
  return targetOf(value, found, named, scope);
}

function targetOf(
  name: string | undefined,
  value: unknown,
  spot: Spot,
  scope: Scope,
): TargetSpec | undefined {
  const given = keysOf(value, spot, scope);
  const { params } = given;
  const type = String(params.type);
  const spec = {
    name: name ?? type,
    type,
    ...given,
    folder: dirname(spot.document.path),
    ...(typeof params.system === 'string' && { system: params.system }),
  };
  if (params.model === undefined) {
    if (type !== 'chat') return spec;
    const message = 'A chat target needs `model`, the model that plays the assistant.';
    scope.reporter.say('missing-key', message, keyPlaceOf(spot), spot.owner, {
      fix: { add: { to: spot.path, key: 'model' } },
    });
    return undefined;
  }
  const model = resolveModel(mappingOf(value).model, within(spot, 'model'), scope);
  return model && { ...spec, model };
}

/** The keys of a model or target, environment variables filled in, their path checked. */
function keysOf(value: unknown, spot: Spot, scope: Scope): Pick<ModelSpec, 'params' | 'written'> {
  const { value: params, filled, unset } = substituteEnv(value, scope.options.env);
  for (const name of unset) {
    const message = `The environment variable ${name} is not set. Set it before this runs.`;
    scope.reporter.say('unset-variable', message, keyPlaceOf(spot), spot.owner, {
      severity: 'warning',
    });
  }
  const given = mappingOf(params);
  const folder = dirname(spot.document.path);
  if (typeof given.path === 'string' && !staysInside(given.path, folder, scope.options.workspace)) {
    const place = placeOf(within(spot, 'path'));
    scope.reporter.say('path-outside', outsideMessage(given.path), place, spot.owner);
  }
  return { params: { ...given }, ...(filled && { written: mappingOf(value) }) };
}

function unknownName(
  name: string,
  known: readonly string[],
  kind: 'model' | 'target',
  spot: Spot,
  scope: Scope,
): undefined {
  // Names that are not known cannot be missed.
  if (scope.unsound.has(`${kind}s`)) return undefined;
  const [meant, ...alternatives] = nearest(name, known);
  const names = known.length === 0 ? `\`${kind}s\` names none.` : `Known: ${known.join(', ')}.`;
  const hint = meant ? `Did you mean "${meant}"?` : names;
  const form = kind === 'model' ? ' Or write provider:model, such as openai:gpt-5-mini.' : '';
  scope.reporter.say(
    'unknown-name',
    `There is no ${kind} "${name}". ${hint}${form}`,
    placeOf(spot),
    spot.owner,
    {
      ...(meant !== undefined && { replacement: meant }),
      ...(alternatives.length > 0 && { fix: { alternatives } }),
    },
  );
  return undefined;
}

function ownerOf({ owner }: Spot): { owner?: number } {
  return owner === undefined ? {} : { owner };
}
