import { isMapping, type Path, valueAt } from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';
import {
  CONTEXT_PREFIX,
  cacheByName,
  REQUEST_VARIABLES,
  renderTemplate,
  templateVariables,
  tooLong,
} from '../../core/text/template.ts';
import { resultText } from '../../messages/content.ts';
import { TargetError } from '../target.ts';

interface BodyValues {
  /** The last user message. */
  readonly message: string;
  /** The conversation so far, in OpenAI's chat format. */
  readonly messages: readonly object[];
  /** Null until the service has named a session. */
  readonly session: string | null;
  /** Turnlight's id for the conversation. */
  readonly conversation: string;
  readonly context: Readonly<Record<string, unknown>>;
}

const VARIABLE_NAMES = Object.keys(REQUEST_VARIABLES);

/**
 * The body as JSON text. A string that consists of a single variable becomes its value, with its type:
 *
 * {turns: "{{messages}}", say: "User: {{message}}"} → {"turns":[…],"say":"User: Hi"}
 *
 * If the body is a string, it must be JSON. A value can't affect anything outside of its place.
 *
 * @throws TargetError if the body is too long
 */
export function fillBody(body: unknown, values: BodyValues): string {
  const lengthOf = cacheByName((name) => resultText(variableValue(name, values)).length);
  const length = bodyVariables(body).reduce((sum, { name }) => sum + lengthOf(name), 0);
  if (length > LIMITS.filledCase) {
    const message = `The body is too large. ${tooLong(length, LIMITS.filledCase)}`;
    throw new TargetError('target-error', message);
  }
  if (typeof body !== 'string') return JSON.stringify(fillValue(body, values));
  return JSON.stringify(JSON.parse(fillJson(body, values)));
}

function fillValue(part: unknown, values: BodyValues): unknown {
  if (typeof part === 'string') {
    const [only] = templateVariables(part);
    if (only && only.length === part.length) return variableValue(only.name, values) ?? null;
    return renderTemplate(
      part,
      (name) => resultText(variableValue(name, values)),
      LIMITS.filledCase,
    );
  }
  if (Array.isArray(part)) return part.map((one) => fillValue(one, values));
  if (!isMapping(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, one]) => [key, fillValue(one, values)]),
  );
}

/** Inserts escaped text inside JSON strings, and JSON everywhere else. */
function fillJson(text: string, values: BodyValues): string {
  const pieces: string[] = [];
  let end = 0;
  let quoted = false;
  for (const { name, offset, length } of templateVariables(text)) {
    const before = text.slice(end, offset);
    for (const mark of before.matchAll(/\\.|"/gs)) if (mark[0] === '"') quoted = !quoted;
    const value = variableValue(name, values) ?? null;
    const json = JSON.stringify(quoted ? resultText(value) : value);
    pieces.push(before, quoted ? json.slice(1, -1) : json);
    end = offset + length;
  }
  return [...pieces, text.slice(end)].join('');
}

function variableValue(name: string, values: BodyValues): unknown {
  if (name.startsWith(CONTEXT_PREFIX)) return valueAt(values.context, contextPath(name));
  return VARIABLE_NAMES.includes(name) ? Reflect.get(values, name) : undefined;
}

function contextPath(name: string): string[] {
  return name.slice(CONTEXT_PREFIX.length).split('.');
}

/** The variables of a body, with the path to the string that contains each. */
export function bodyVariables(body: unknown): { readonly name: string; readonly path: Path }[] {
  const walk = (part: unknown, path: Path): { name: string; path: Path }[] => {
    if (typeof part === 'string')
      return templateVariables(part).map(({ name }) => ({ name, path }));
    if (Array.isArray(part)) return part.flatMap((one, index) => walk(one, [...path, index]));
    if (!isMapping(part)) return [];
    return Object.entries(part).flatMap(([key, one]) => walk(one, [...path, key]));
  };
  return walk(body, []);
}

export function contextKeysOf(body: unknown): string[] {
  const names = bodyVariables(body).map(({ name }) => name);
  const ofContext = names.filter((name) => name.startsWith(CONTEXT_PREFIX));
  return [...new Set(ofContext.flatMap((name) => contextPath(name).slice(0, 1)))];
}

export function bodyProblems(body: unknown): { readonly message: string; readonly path: Path }[] {
  const known = [...VARIABLE_NAMES.map((name) => `{{${name}}}`), '{{context.NAME}}'].join(', ');
  const strangers = bodyVariables(body).filter(
    ({ name }) => !name.startsWith(CONTEXT_PREFIX) && !VARIABLE_NAMES.includes(name),
  );
  const problems = strangers.map(({ name, path }) => {
    return { message: `Unknown variable {{${name}}} in a body. Known: ${known}.`, path };
  });
  if (problems.length > 0 || typeof body !== 'string') return problems;
  try {
    fillBody(body, { message: '', messages: [], session: null, conversation: '', context: {} });
    return [];
  } catch {
    return [{ message: 'Expected JSON, a mapping, or a list. Text must be JSON.', path: [] }];
  }
}
