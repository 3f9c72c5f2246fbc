import { isMapping, type Mapping, mappingOf } from '../core/data/data.ts';
import { writeInline } from '../yaml/quoting.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';

/** Variables of a request body by the names that services give to its fields. */
const FIELDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:messages|history)$/i, '{{messages}}'],
  [/^(?:session|thread|conversation|chat)(?:_?id)?$/i, '{{session}}'],
  [/^(?:user_?)?(?:message|input|query|question|prompt|text|content)$/i, '{{message}}'],
];

/** Names that services give to the reply in their answer, the likeliest first. */
const REPLIES = ['reply', 'response', 'answer', 'output', 'text', 'message', 'result'];

/** A missing field in the answers of FastAPI and other services with Pydantic. */
const MISSING = /"loc":\["body","([^"\\]+)"\]/g;

/**
 * Adapts a target that a person typed to the service behind it, if its first reply failed.
 *
 * @param error the error's message, which quotes the service
 * @returns the keys to add; undefined if the error doesn't show them
 */
export function adaptTarget(target: Mapping, error: string): Mapping | undefined {
  if (target.type !== 'http') return undefined;
  const fields = [...error.matchAll(MISSING)].map(([, name = '']) => name);
  if (fields.length > 0) return bodyWith(target, fields);
  const [, answer = ''] = /It was: \{(.*)/s.exec(error) ?? [];
  const reply = REPLIES.find((name) => `,${answer}`.includes(`,"${name}":"`));
  return target.reply === undefined && reply !== undefined ? { reply: `/${reply}` } : undefined;
}

function bodyWith({ body }: Mapping, fields: readonly string[]): Mapping | undefined {
  const added = fields.map((name) => [name, FIELDS.find(([is]) => is.test(name))?.[1]] as const);
  const isNew = added.every(([name, value]) => value !== undefined && !(name in mappingOf(body)));
  return isNew ? { body: { ...mappingOf(body), ...Object.fromEntries(added) } } : undefined;
}

/** A service that refuses a request. Other addresses and methods are other targets. */
const REFUSED = / answered 4(?!04|05|08|29)\d\d/;
const UNAUTHORIZED = / answered 40[13]/;

/** Names of keys in a program's output. */
const KEYS = /\b[A-Z][A-Z0-9]*_(?:API_)?(?:KEY|TOKEN)\b/g;

/** Keys that may be what a target lacks, to be edited on one line; undefined if it is something else. */
export function proposeKeys(target: Mapping, error: string): Mapping | undefined {
  if (target.type === 'http') {
    if (UNAUTHORIZED.test(error)) {
      return { headers: { authorization: `Bearer \${env:SERVICE_TOKEN}` } };
    }
    if (!REFUSED.test(error) && !error.includes('`reply`')) return undefined;
    const { body = { message: '{{message}}', session_id: '{{session}}' }, reply = '/reply' } =
      target;
    return { body, reply };
  }
  const passed: readonly unknown[] = Array.isArray(target.pass_env) ? target.pass_env : [];
  const names = [...new Set(error.match(KEYS))].filter((name) => !passed.includes(name));
  return names.length > 0 ? { pass_env: [...passed, ...names.slice(0, 1)] } : undefined;
}

/** Keys on one line; undefined if they aren't a mapping. */
export function readKeys(line: string): Mapping | undefined {
  const { value, problems } = parseYaml(line, 'target.yaml');
  return problems.length === 0 && isMapping(value) ? value : undefined;
}

export function keysLine(keys: Mapping): string {
  return writeInline(keys);
}
