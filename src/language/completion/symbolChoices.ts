import type { CompletionItemKind } from 'vscode-languageserver-types';
import { mappingOf, type Path, valueAt, withValueAt } from '../../core/data/data.ts';
import { type FileKind, isFileKind, type SymbolKind } from '../../core/meaning.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import { modelSchema } from '../../evalfile/targetSchema.ts';
import { runCooperatively, type Work } from '../../node/cooperative.ts';
import { type Mention, mentionsIn, type Role, rolesAt } from '../../schema/mentions.ts';
import type { CompletionRequest } from '../ports.ts';
import { actingAgents } from './actingAgents.ts';
import { type Cursor, isMarked } from './cursor.ts';
import { type Choice, KINDS } from './items.ts';
import { offerAt, textsAt } from './schemaItems.ts';
import { readEntries } from './slice.ts';

interface OfferedKind {
  readonly shown: CompletionItemKind;
  /** Whether to offer only declared names. If false, also offers names that are used outside of assertions. */
  readonly declared: boolean;
  /** Whether to omit names that the list already contains. */
  readonly once?: boolean;
  readonly rank?: number;
}

const OFFERED: Readonly<Partial<Record<SymbolKind, OfferedKind>>> = {
  model: { shown: KINDS.reference, declared: true, rank: 4 },
  target: { shown: KINDS.reference, declared: true, rank: 4 },
  tool: { shown: KINDS.reference, declared: false },
  agent: { shown: KINDS.reference, declared: false },
  topic: { shown: KINDS.value, declared: true, once: true },
  tag: { shown: KINDS.value, declared: false, once: true },
  node: { shown: KINDS.reference, declared: true },
};

export async function symbolChoices(cursor: Cursor, request: CompletionRequest): Promise<Choice[]> {
  const { text, including, editorModels, step } = request;
  const { root, path, onKey } = cursor;
  const roles = rolesAt(evalFileSchema, root, path, onKey);
  const isModel = ({ kind }: Role) => kind === 'model' || kind === 'shortModel';
  const known = roles.some(isModel) ? await editorModels?.() : [];
  const choices: Choice[] = [];
  for (const role of roles) {
    const { kind } = role;
    if (role.role === 'declaration' || kind === undefined || isFileKind(kind)) continue;
    const offered = OFFERED[kind];
    if (offered) {
      const named = choicesOf(kind, offered, role, cursor, text, including);
      choices.push(...(await runCooperatively(named, step)));
    }
    if (kind === 'agent') choices.push(...(await actingAgents(cursor, request, choices)));
    if (isModel(role)) choices.push(...shortModels(root, known));
  }
  return choices;
}

function* choicesOf(
  kind: SymbolKind,
  { shown, declared, once, rank }: OfferedKind,
  { scope }: Role,
  cursor: Cursor,
  text: string,
  including: unknown,
): Work<Choice[]> {
  const { root, path, onKey } = cursor;
  const there = onKey
    ? Object.keys(mappingOf(valueAt(root, path.slice(0, -1))))
    : textsAt(root, once ? path.slice(0, -1) : []);
  const around = scope === '' ? yield* rootWithCase(cursor, kind, text) : root;
  const own = mentionsOf(around, kind).filter((one) => one.scope === scope && !contains(one, path));
  const outer = mentionsOf({ ...mappingOf(including), cases: undefined }, kind);
  const found = [...withoutOverridden(own), ...outer].filter(
    (one) => one.role === 'declaration' || (!declared && !one.inAssertion),
  );
  const first = found.filter((one) => one.role === 'declaration');
  const names = new Map([...first, ...found].map((one) => [one.text, one.path]));
  const free = [...names].filter(([name]) => !there.includes(name));
  return free.map(([label, at]) => {
    const type = kind === 'node' ? valueAt(around, [...at, 'type']) : undefined;
    const detail = typeof type === 'string' ? `${type} ${kind}` : kind;
    return { label, kind: shown, detail, ...(rank !== undefined && { rank }) };
  });
}

function mentionsOf(root: unknown, kind: SymbolKind | FileKind): Mention[] {
  const { names } = mentionsIn(evalFileSchema, root);
  return names.filter((one) => one.kind === kind && !isMarked(one.text));
}

/** Whether the path is within the declaration: a node, for example, can't lead to itself. */
function contains({ role, path, part }: Mention, inner: Path): boolean {
  return role === 'declaration' && part === 'key' && path.every((step, at) => step === inner[at]);
}

/** Leaves out the file's lists that the case overrides, such as `tools`. */
function withoutOverridden(mentions: readonly Mention[]): Mention[] {
  const declared = mentions.filter(({ role }) => role === 'declaration');
  const keys = declared.flatMap(({ path: [top, , key] }) => (top === 'cases' ? [key] : []));
  return mentions.filter(({ path: [top], role }) => role === 'reference' || !keys.includes(top));
}

/** The root with the whole case at the cursor and, for tags, with the tags of all other cases. */
function* rootWithCase(
  { root, path, wholeCase }: Cursor,
  kind: SymbolKind,
  text: string,
): Work<unknown> {
  const whole = path[0] === 'cases' ? yield* wholeCase() : undefined;
  const own = path[1] ?? 0;
  const known = whole === undefined ? root : withValueAt(root, ['cases', own], () => whole);
  if (kind !== 'tag') return known;
  const others = yield* readEntries(text, 'tags');
  return withValueAt(known, ['cases'], (all) => [...(Array.isArray(all) ? all : []), ...others]);
}

/** `provider:model` as used elsewhere in the file, the editor's models, and providers to start a name with. */
export function shortModels(root: unknown, editorModels: readonly string[] = []): Choice[] {
  const providers = offerAt({}, [], {}, modelSchema).options.filter(({ keys }) =>
    keys.every(({ name, required }) => !required || name === 'provider' || name === 'model'),
  );
  const known = providers.map(({ value }) => `${value}:`);
  const texts = [...mentionsOf(root, 'shortModel'), ...mentionsOf(root, 'model')];
  const written = texts.flatMap(({ text }) =>
    known.some((start) => text.startsWith(start) && text !== start) ? [text] : [],
  );
  const models = [...new Set([...written, ...editorModels])].map((label) => {
    const detail = written.includes(label) ? 'model' : 'model from the editor';
    return { label, kind: KINDS.reference, detail };
  });
  const shown = { kind: KINDS.module, detail: 'provider:model', rank: 6, incomplete: true };
  const starts = providers.map(({ value, documentation }) => {
    return { label: `${value}:`, documentation, ...shown };
  });
  return [...models, ...starts];
}
