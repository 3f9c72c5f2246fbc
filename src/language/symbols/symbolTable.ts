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
  /** Of its words, without quotes or braces. */
  readonly range: Range;
  /** How the scalar around it is written; `text` where the symbol is a piece of one. */
  readonly style: ScalarText['style'] | 'text';
  /** As it is written, such as `./judge.md`. */
  readonly text: string;
  readonly path: Path;
}

/** Something with a name, and everywhere in a file that it stands. */
export interface EvalSymbol {
  readonly kind: SymbolKind | FileKind;
  /** The absolute path, of files. */
  readonly name: string;
  /**
   * What it is a name in: `cases/3` for a variable, a file and an id of that case, `defaults` for
   * those of the defaults, the path of the decision graph for a node; empty if it holds for the
   * whole suite.
   */
  readonly scope: string;
  readonly declarations: readonly Occurrence[];
  readonly references: readonly Occurrence[];
  /** Scalars that mean it but write it with escapes: no edit of a few characters can change it there. */
  readonly hidden: readonly Range[];
}

export interface SymbolTable {
  /** Absolute. */
  readonly path: string;
  readonly symbols: readonly EvalSymbol[];
  find(kind: EvalSymbol['kind'], name: string, scope: string): EvalSymbol | undefined;
  /** Tells which occurrences contain a position, without working their ranges out. */
  isAt(position: Position): (occurrence: Occurrence) => boolean;
}

/** The symbols of an eval file, gathered once for each version of its text. */
export const symbolsOf = memoize((yaml: YamlDocument): SymbolTable => {
  const gathering = new Gathering(yaml);
  const { names, templates } = mentionsIn(evalFileSchema, yaml.value);
  for (const mention of names) gathering.addMention(mention);
  for (const template of templates) gathering.addTemplate(template);
  return gathering.table();
});

/** The symbols of a judge prompt: its model, and the keys of `context` that it uses. */
export function promptSymbols(text: string, path: string): SymbolTable {
  const { document, variables } = loadPrompt(text, path);
  const gathering = new Gathering(document);
  for (const one of mentionsIn(frontMatterSchema, document.value).names) gathering.addMention(one);
  for (const { name, range } of variables) {
    const key = contextKey(name);
    if (key === undefined) continue;
    const start = { ...range.end, character: range.end.character - key.length };
    const own: Range = { start, end: range.end };
    const place = { range: own, style: 'text', text: key, path: [] } as const;
    gathering.add('variable', key, '', 'reference', place);
  }
  return gathering.table();
}

interface Entry extends EvalSymbol {
  readonly declarations: Occurrence[];
  readonly references: Occurrence[];
  readonly hidden: Range[];
  /** Where its scalars begin: an alias repeats all that stands after its anchor. */
  readonly offsets: Set<number>;
}

/** A range that is looked up where it is asked for: of thousands of occurrences few are. */
class Placed implements Occurrence {
  readonly style: Occurrence['style'];
  readonly text: string;
  readonly path: Path;
  readonly #places: Places;
  readonly #span: Span;
  #range: Range | undefined;

  constructor(places: Places, span: Span, style: Occurrence['style'], text: string, path: Path) {
    this.#places = places;
    this.#span = span;
    this.style = style;
    this.text = text;
    this.path = path;
  }

  get range(): Range {
    this.#range ??= this.#places.rangeOfOffsets(...this.#span);
    return this.#range;
  }

  covers(offset: number): boolean {
    return this.#span[0] <= offset && offset <= this.#span[1];
  }
}

type Places = Pick<YamlDocument, 'rangeOfOffsets' | 'offsetAt'>;

class Gathering {
  readonly #yaml: YamlDocument;
  readonly #folder: string;
  /** Occurrences hold these, and no nodes. */
  readonly #places: Places;
  readonly #entries = new Map<string, Entry>();
  constructor(yaml: YamlDocument) {
    this.#yaml = yaml;
    this.#places = { rangeOfOffsets: yaml.rangeOfOffsets, offsetAt: yaml.offsetAt };
    this.#folder = dirname(yaml.path);
  }

  table(): SymbolTable {
    return tableOf(this.#yaml.path, this.#entries, this.#places);
  }

  /** A scalar that is a name as a whole; nothing where an alias or no text stands. */
  addMention({ kind, role, path, part, scope, text }: Mention): void {
    if (isFileKind(kind) && !namesOneFile(kind, text)) return;
    const scalar = this.#yaml.scalarAt(path, part);
    if (!scalar || scalar.value.trim() === '') return;
    const { value, style, start, end } = scalar;
    const name = isFileKind(kind) ? resolve(this.#folder, value) : value;
    const meant = kind === 'model' && this.#isShort(value) ? 'shortModel' : kind;
    const span = wordsSpan(this.#yaml.text, scalar);
    const occurrence = span
      ? new Placed(this.#places, span, style, value, path)
      : this.#yaml.rangeOfOffsets(start, end);
    this.add(meant, name, scope, role, occurrence, start);
  }

  /** `provider:model` is no name of the file's, unless it declares one. */
  #isShort(text: string): boolean {
    return text.includes(':') && !this.#entries.has(keyOf('model', text, ''));
  }

  addTemplate({ kind, path, scope }: Template): void {
    // A target's variables are those of any case that it is the target of.
    const ofNoCase = kind === 'env' || kind === 'request';
    const scalar = ofNoCase ? undefined : this.#yaml.scalarAt(path);
    if (!scalar) return;
    const { start, end } = scalar;
    for (const { name, span } of variablesIn(this.#yaml.text, scalar)) {
      const key = kind === 'judge' ? contextKey(name) : name;
      if (key === undefined) continue;
      const own: Span | undefined = span && [span[1] - key.length, span[1]];
      const occurrence = own
        ? new Placed(this.#places, own, 'text', key, path)
        : this.#yaml.rangeOfOffsets(start, end);
      this.add('variable', key, scope, 'reference', occurrence, own?.[0] ?? start);
    }
  }

  /** @param occurrence the range alone where escapes hide the name */
  add(
    kind: EvalSymbol['kind'],
    name: string,
    scope: string,
    role: Mention['role'],
    occurrence: Occurrence | Range,
    offset?: number,
  ): void {
    const { declarations, references, hidden, offsets } = this.#entryOf(kind, name, scope);
    if (offset !== undefined && offsets.has(offset)) return;
    if (offset !== undefined) offsets.add(offset);
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

/** Holds nothing of the document: many are kept. */
function tableOf(
  path: string,
  entries: ReadonlyMap<string, EvalSymbol>,
  places: Places,
): SymbolTable {
  return {
    path,
    symbols: [...entries.values()],
    find: (kind, name, scope) => entries.get(keyOf(kind, name, scope)),
    isAt(position) {
      const offset = places.offsetAt(position);
      return (one) => (one instanceof Placed ? one.covers(offset) : contains(one.range, position));
    },
  };
}

function keyOf(kind: EvalSymbol['kind'], name: string, scope: string): string {
  return `${kind}\n${scope}\n${name}`;
}

/** Patterns, and what is filled in later, name no one file. */
const PATTERN = /[*?[{]/;
const FILLED_IN = /\{\{|\$\{/;

function namesOneFile(kind: FileKind, text: string): boolean {
  if (kind === 'folder' || (kind === 'program' && !isProgramFile(text))) return false;
  const mayBePattern = kind === 'cases' || kind === 'transcripts';
  return !(mayBePattern ? PATTERN : FILLED_IN).test(text);
}
