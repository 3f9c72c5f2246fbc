import { dirname, resolve } from 'node:path';
import { contextKey } from '../../assertions/shared/promptVariables.ts';
import { memoize, type Path } from '../../core/data/data.ts';
import { type FileKind, isFileKind, isProgramFile, type SymbolKind } from '../../core/meaning.ts';
import { contains, type Position, type Range } from '../../core/problem.ts';
import { frontMatterSchema, loadPrompt } from '../../evalfile/prompt.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import { type Mention, mentionsIn, type Template } from '../../schema/mentions.ts';
import type { Span } from '../../yaml/nodes.ts';
import { variablesIn, wordsSpan } from '../../yaml/scalarSpans.ts';
import type { ScalarText, YamlDocument } from '../../yaml/yamlDocument.ts';

export interface Occurrence {
  /** The range without quotes or braces. */
  readonly range: Range;
  /** The scalar's style; `text` if the symbol is only part of the scalar. */
  readonly style: ScalarText['style'] | 'text';
  /** The text as written, such as `./judge.md`. */
  readonly text: string;
  readonly path: Path;
}

export interface EvalSymbol {
  readonly kind: SymbolKind | FileKind;
  /** The symbol's name; for a file, its absolute path. */
  readonly name: string;
  /**
   * Where the name is valid: `cases/3` for a variable, a file, or an id of that case, `defaults` for one in the
   * defaults, the decision graph's path for a node, or empty for the whole suite.
   */
  readonly scope: string;
  readonly declarations: readonly Occurrence[];
  readonly references: readonly Occurrence[];
  /** Occurrences written with escapes, which can't be renamed. */
  readonly hidden: readonly Range[];
}

export interface SymbolTable {
  /** Absolute. */
  readonly path: string;
  readonly symbols: readonly EvalSymbol[];
  find(kind: EvalSymbol['kind'], name: string, scope: string): EvalSymbol | undefined;
  /** Returns a test for whether an occurrence contains the position, without computing its range. */
  isAt(position: Position): (occurrence: Occurrence) => boolean;
}

export const symbolsOf = memoize((yaml: YamlDocument): SymbolTable => {
  const collector = new SymbolCollector(yaml);
  const { names, templates } = mentionsIn(evalFileSchema, yaml.value);
  for (const mention of names) collector.addMention(mention);
  for (const template of templates) collector.addTemplate(template);
  return collector.table();
});

/** The symbols of a judge prompt: its model, and the keys of `context` that it uses. */
export function promptSymbols(text: string, path: string): SymbolTable {
  const { document, variables } = loadPrompt(text, path);
  const collector = new SymbolCollector(document);
  for (const one of mentionsIn(frontMatterSchema, document.value).names) collector.addMention(one);
  for (const { name, range } of variables) {
    const key = contextKey(name);
    if (key === undefined) continue;
    const start = { ...range.end, character: range.end.character - key.length };
    const own = { start, end: range.end };
    const occurrence = { range: own, style: 'text', text: key, path: [] } as const;
    collector.add('variable', key, '', 'reference', occurrence);
  }
  return collector.table();
}

interface Entry extends EvalSymbol {
  readonly declarations: Occurrence[];
  readonly references: Occurrence[];
  readonly hidden: Range[];
  /** Offsets of the scalars added so far, to skip scalars that aliases repeat. */
  readonly offsets: Set<number>;
}

/** Computes its range lazily, because only a few of the thousands of occurrences are ever needed. */
class LazyOccurrence implements Occurrence {
  readonly style: Occurrence['style'];
  readonly text: string;
  readonly path: Path;
  readonly #offsets: OffsetMap;
  readonly #span: Span;
  #range: Range | undefined;

  constructor(
    offsets: OffsetMap,
    span: Span,
    style: Occurrence['style'],
    text: string,
    path: Path,
  ) {
    this.#offsets = offsets;
    this.#span = span;
    this.style = style;
    this.text = text;
    this.path = path;
  }

  get range(): Range {
    this.#range ??= this.#offsets.rangeOfOffsets(...this.#span);
    return this.#range;
  }

  covers(offset: number): boolean {
    return this.#span[0] <= offset && offset <= this.#span[1];
  }
}

type OffsetMap = Pick<YamlDocument, 'rangeOfOffsets' | 'offsetAt'>;

class SymbolCollector {
  readonly #yaml: YamlDocument;
  readonly #folder: string;
  /** Occurrences refer to this instead of the document, which can then be freed. */
  readonly #offsets: OffsetMap;
  readonly #entries = new Map<string, Entry>();
  constructor(yaml: YamlDocument) {
    this.#yaml = yaml;
    this.#offsets = { rangeOfOffsets: yaml.rangeOfOffsets, offsetAt: yaml.offsetAt };
    this.#folder = dirname(yaml.path);
  }

  table(): SymbolTable {
    // These don't refer to the document, because many tables are cached.
    const [offsets, entries] = [this.#offsets, this.#entries];
    return {
      path: this.#yaml.path,
      symbols: [...entries.values()],
      find: (kind, name, scope) => entries.get(keyOf(kind, name, scope)),
      isAt(position) {
        const offset = offsets.offsetAt(position);
        return (one) =>
          one instanceof LazyOccurrence ? one.covers(offset) : contains(one.range, position);
      },
    };
  }

  /** Skips aliases and empty texts. */
  addMention({ kind, role, path, part, scope, text }: Mention): void {
    if (isFileKind(kind) && !namesOneFile(kind, text)) return;
    const scalar = this.#yaml.scalarAt(path, part);
    if (!scalar || scalar.value.trim() === '') return;
    const { value, style, start, end } = scalar;
    const name = isFileKind(kind) ? resolve(this.#folder, value) : value;
    // `provider:model` isn't a name, unless the file declares it.
    const isShort = value.includes(':') && !this.#entries.has(keyOf('model', value, ''));
    const span = wordsSpan(this.#yaml.text, scalar);
    const occurrence = span
      ? new LazyOccurrence(this.#offsets, span, style, value, path)
      : this.#yaml.rangeOfOffsets(start, end);
    const meant = kind === 'model' && isShort ? 'shortModel' : kind;
    this.add(meant, name, scope, role, occurrence, start);
  }

  addTemplate({ kind, path, scope }: Template): void {
    // Variables from the environment and for a target's request don't belong to a case.
    const isOutsideCases = kind === 'env' || kind === 'request';
    const scalar = isOutsideCases ? undefined : this.#yaml.scalarAt(path);
    if (!scalar) return;
    const { start, end } = scalar;
    for (const { name, span } of variablesIn(this.#yaml.text, scalar)) {
      const key = kind === 'judge' ? contextKey(name) : name;
      if (key === undefined) continue;
      const own: Span | undefined = span && [span[1] - key.length, span[1]];
      const occurrence = own
        ? new LazyOccurrence(this.#offsets, own, 'text', key, path)
        : this.#yaml.rangeOfOffsets(start, end);
      this.add('variable', key, scope, 'reference', occurrence, own?.[0] ?? start);
    }
  }

  /** @param occurrence contains only the range if the name is written with escapes */
  add(
    kind: EvalSymbol['kind'],
    name: string,
    scope: string,
    role: Mention['role'],
    occurrence: Occurrence | Range,
    offset?: number,
  ): void {
    const { declarations, references, hidden, offsets } = this.#entryOf(kind, name, scope);
    if (offset !== undefined) {
      if (offsets.has(offset)) return;
      offsets.add(offset);
    }
    if (!('range' in occurrence)) hidden.push(occurrence);
    else if (role === 'declaration') declarations.push(occurrence);
    else references.push(occurrence);
  }

  #entryOf(kind: EvalSymbol['kind'], name: string, scope: string): Entry {
    const key = keyOf(kind, name, scope);
    const known = this.#entries.get(key);
    if (known) return known;
    const lists = { declarations: [], references: [], hidden: [], offsets: new Set<number>() };
    const entry = { kind, name, scope, ...lists };
    this.#entries.set(key, entry);
    return entry;
  }
}

function keyOf(kind: EvalSymbol['kind'], name: string, scope: string): string {
  return `${kind}\n${scope}\n${name}`;
}

/** Whether a path names a single file. Patterns and texts with variables don't. */
function namesOneFile(kind: FileKind, text: string): boolean {
  if (kind === 'folder' || (kind === 'program' && !isProgramFile(text))) return false;
  const mayBePattern = kind === 'cases' || kind === 'transcripts';
  return !(mayBePattern ? /[*?[{]/ : /\{\{|\$\{/).test(text);
}
