import type { CompletionItem, CompletionItemKind } from 'vscode-languageserver-types';
import type { Position, Range } from '../../core/problem.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import { keysAt, valuesAt } from '../../evalfile/schemaWalk.ts';
import { type Path, parseYaml } from '../../evalfile/yamlDocument.ts';
import { findAssertionType } from '../../metrics/registry.ts';

/** LSP's `CompletionItemKind.Property`, `.EnumMember` and `.Reference`. */
const PROPERTY: CompletionItemKind = 10;
const ENUM_MEMBER: CompletionItemKind = 20;
const REFERENCE: CompletionItemKind = 18;

/** Stands where the cursor is, so that half-written YAML parses. */
const MARK = 'turnlightcursor';

/**
 * Keys and enumerated values at a place, also in half-written YAML; names of models and targets
 * where one can stand. Never a key that is there already.
 */
export function completion(text: string, path: string, position: Position): CompletionItem[] {
  const lines = text.split('\n');
  const line = lines[position.line] ?? '';
  const before = line.slice(0, position.character);
  const word = /[\w.:-]*$/.exec(before)?.[0] ?? '';
  const rest = line.slice(position.character);
  const typed = /^[\w.-]*/.exec(rest)?.[0] ?? '';
  const range: Range = {
    start: { line: position.line, character: position.character - word.length },
    end: { line: position.line, character: position.character + typed.length },
  };
  const after = rest.slice(typed.length);
  const head = before.slice(0, before.length - word.length);
  const onValue = /:\s+["']?$|[[,{]\s*["']?$/.test(head) && !/^\s*(-\s+)*$/.test(head);
  const marked = (suffix: string) => {
    const changed = [...lines];
    changed[position.line] = head + MARK + suffix + (onValue ? after : '');
    return parseYaml(changed.join('\n'), path);
  };
  if (onValue) {
    const found = find(marked('').value);
    // In `{type: contains, |}` a key begins where a value could.
    if (found?.path.at(-1) === MARK) {
      return keys(found.path.slice(0, -1), found.root, range, after.startsWith(':'));
    }
    return found ? values(found.path, found.root, range) : [];
  }
  if (!/^\s*(-\s+)*$/.test(head)) return [];
  const found = find(marked(after.startsWith(':') ? after : ': ').value);
  if (!found) return [];
  return keys(found.path.slice(0, -1), found.root, range, after.startsWith(':'));
}

interface Found {
  /** To the mark: as a key or as a value. */
  readonly path: Path;
  readonly root: unknown;
}

/** Where the mark stands in the data. */
function find(root: unknown): Found | undefined {
  const walk = (value: unknown, path: Path): Path | undefined => {
    if (typeof value === 'string') return value.startsWith(MARK) ? path : undefined;
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [key, inner] of Object.entries(value)) {
      const step = Array.isArray(value) ? Number(key) : key;
      if (key === MARK) return [...path, step];
      const deeper = walk(inner, [...path, step]);
      if (deeper) return deeper;
    }
    return undefined;
  };
  const path = walk(root, []);
  return path && { path, root };
}

function keys(owner: Path, root: unknown, range: Range, hasColon: boolean): CompletionItem[] {
  const there = Object.keys(Object(at(root, owner)));
  return keysAt(evalFileSchema, root, owner)
    .filter(({ name }) => !there.includes(name))
    .map(({ name, required, documentation }) => ({
      label: name,
      kind: PROPERTY,
      detail: required ? 'required' : 'optional',
      sortText: `${required ? 0 : 1}${name}`,
      ...(documentation !== undefined && { documentation }),
      textEdit: { range, newText: hasColon ? name : `${name}: ` },
    }));
}

function values(path: Path, root: unknown, range: Range): CompletionItem[] {
  const known = valuesAt(evalFileSchema, root, path).map(
    ({ value, documentation }): CompletionItem => ({
      label: value,
      kind: ENUM_MEMBER,
      textEdit: { range, newText: value },
      ...(documentation !== undefined && { documentation }),
      ...(findAssertionType(value) && path.at(-1) === 'type' && { detail: 'assertion' }),
    }),
  );
  return [...known, ...names(path, root, range)];
}

/** Which list of names a key refers to. */
const NAMED: Readonly<Record<string, 'models' | 'targets'>> = {
  judge: 'models',
  model: 'models',
  target: 'targets',
};

function names(path: Path, root: unknown, range: Range): CompletionItem[] {
  const list = NAMED[String(path.at(-1))];
  if (list === undefined || path[0] === 'models') return [];
  return Object.keys(Object(at(root, [list]))).map((name) => ({
    label: name,
    kind: REFERENCE,
    detail: list === 'models' ? 'model' : 'target',
    textEdit: { range, newText: name },
  }));
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), value);
}
