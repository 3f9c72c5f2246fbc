import type { Tool } from '../core/message.ts';
import type { ModelSpec, TargetSpec } from '../core/suite.ts';
import { readLinked } from '../disk/regularFile.ts';
import { digestOf, sha256 } from '../node/hashes.ts';
import { findTargetType } from './registry.ts';

/** Keys about access, price, and limits, which don't change the model's answers. */
const CONNECTION_KEYS = [
  'provider',
  'path',
  'base_url',
  'api_key_env',
  'token_env',
  'api',
  'api_version',
  'deployment',
  'headers',
  'timeout',
  'price',
  'max_input_tokens',
];

/**
 * SHA-256 hash of everything that determines a target's replies, as far as its spec shows: its keys as written, its
 * model, and its files. It is the same on every machine.
 *
 * @param tools the case's tools, for a chat target without its own
 */
export async function targetDigest(spec: TargetSpec, tools: readonly Tool[]): Promise<string> {
  const { params, written = params, model } = spec;
  const { timeout: _timeout, cache: _cache, ready: _ready, model: _model, ...rest } = written;
  const { trace_wait: _wait, ...keys } = rest;
  const type = findTargetType(spec.type);
  const contents = await Promise.all(
    filesOf(spec).map((path) => readLinked(path).then(sha256, () => undefined)),
  );
  return digestOf({
    keys,
    model: model && keysOfModel(model),
    tools: type?.keysDecide && keys.tools === undefined ? tools : undefined,
    files: contents.filter((one) => one !== undefined),
  });
}

/**
 * SHA-256 hash of a target's system text and model, with environment variables filled in; undefined if there are none.
 * Other variables are excluded: they may be secrets, and a short value can be guessed from its hash.
 *
 * @param user the model of the simulated user
 */
export function resolvedDigest(
  { params, written, model }: TargetSpec,
  user?: ModelSpec,
): string | undefined {
  const filled = {
    system: params.system,
    model: model && withoutAddress(model.params),
    user: user && withoutAddress(user.params),
  };
  const before = {
    system: (written ?? params).system,
    model: model && keysOfModel(model),
    user: user && keysOfModel(user),
  };
  const digest = digestOf(filled);
  return digest === digestOf(before) ? undefined : digest;
}

/** Absolute paths of the files that a target consists of, as far as its keys show. */
export function filesOf(spec: TargetSpec): readonly string[] {
  return findTargetType(spec.type)?.files?.(spec) ?? [];
}

function keysOfModel({ params, written = params }: ModelSpec) {
  return withoutAddress(written);
}

function withoutAddress(params: ModelSpec['params']) {
  return Object.fromEntries(
    Object.entries(params).filter(([key]) => !CONNECTION_KEYS.includes(key)),
  );
}
