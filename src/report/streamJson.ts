import { isMapping } from '../core/data/data.ts';
import { visibleJson } from '../core/text/visibleText.ts';

/** Like `visibleJson`, but in pieces. A generator becomes an array, with only one entry at a time in memory. */
export function* streamJson(value: unknown, indent = ''): Generator<string> {
  const inner = `${indent}  `;
  if (isGenerator(value)) {
    let before = '[';
    for (const entry of value) {
      yield `${before}\n${inner}`;
      yield visibleJson(entry).replaceAll('\n', `\n${inner}`);
      before = ',';
    }
    yield before === '[' ? '[]' : `\n${indent}]`;
  } else if (containsGenerator(value)) {
    const entries = Array.isArray(value)
      ? value.map((entry) => ['', entry] as const)
      : Object.entries(value)
          .filter(([, entry]) => entry !== undefined)
          .map(([key, entry]) => [`${visibleJson(key)}: `, entry] as const);
    const [open, close] = Array.isArray(value) ? '[]' : '{}';
    for (const [index, [key, entry]] of entries.entries()) {
      yield `${index === 0 ? open : ','}\n${inner}${key}`;
      yield* streamJson(entry, inner);
    }
    yield `\n${indent}${close}`;
  } else {
    yield visibleJson(value).replaceAll('\n', `\n${indent}`);
  }
}

function isGenerator(value: unknown): value is Generator<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value;
}

function containsGenerator(value: unknown): value is object {
  if (isGenerator(value)) return true;
  if (Array.isArray(value)) return value.some(containsGenerator);
  return isMapping(value) && Object.values(value).some(containsGenerator);
}
