import type { Hover } from 'vscode-languageserver-types';
import type { Path } from '../../core/data/data.ts';
import { contains, type Position, type Range } from '../../core/problem.ts';
import { historyText } from '../../core/record/caseHistory.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { isFailure } from '../../core/scoring.ts';
import { escapeLine, paragraphs } from '../../core/text/markdown.ts';
import { isCachedAmong } from '../../core/verdict.ts';
import { textChangeDetector } from '../../evalfile/caseChanges.ts';
import type { LoadedSuite, OutlineAssertion, OutlineCase } from '../../evalfile/loadedSuite.ts';
import { numberTurns } from '../../evalfile/numberTurns.ts';
import { messagesFileSchema } from '../../evalfile/schema.ts';
import { parseTranscript } from '../../evalfile/transcript.ts';
import type { Work } from '../../node/cooperative.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import { docsPageAt, MESSAGES } from '../docsPages.ts';
import type { EvalDocument, LanguagePorts, ResultPorts } from '../ports.ts';
import type { SymbolPorts } from '../symbols/sameSymbol.ts';
import { documentation, type HoverPart } from './keyMarkdown.ts';
import { assertionChain, recordedVerdict } from './recordedVerdict.ts';
import { chosenTurns, replyMarkdown } from './selectedTurns.ts';
import { symbolHover } from './symbolMarkdown.ts';
import {
  caseMarkdown,
  changeMarkdown,
  turnMarkdown,
  variantsMarkdown,
  verdictMarkdown,
} from './verdictMarkdown.ts';

type DocsPorts = Partial<Pick<LanguagePorts, 'docsLink'>>;

/** @param symbols if absent, names and paths aren't described */
export async function hover(
  document: EvalDocument,
  position: Position,
  results: ResultPorts,
  symbols?: SymbolPorts,
): Promise<Hover | undefined> {
  const help =
    (await chosenTurns(document, position, results)) ??
    (symbols && (await symbolHover(document.yaml.path, position, symbols))) ??
    documentation(document.yaml, position);
  const verdict = await lastVerdict(document, position, results);
  const page = help && docsPageAt(document.yaml.value, document.yaml.pathAt(position).path);
  const described = help && paragraphs(help.markdown, linkTo(page, results));
  const parts = [verdict?.markdown, described].filter((part) => part !== undefined);
  const range = help?.range ?? verdict?.range;
  return range && markdownHover({ markdown: parts.join('\n\n---\n\n'), range });
}

export async function promptHover(
  path: string,
  position: Position,
  symbols: SymbolPorts,
): Promise<Hover | undefined> {
  const part = await symbolHover(path, position, symbols);
  return part && markdownHover(part);
}

/** @param path absolute */
export function* messageHover(
  text: string,
  path: string,
  position: Position,
  ports: DocsPorts = {},
): Work<Hover | undefined> {
  const document = yield* parseTranscript(text, path);
  const { path: keys } = document.pathAt(position);
  const help = documentation(document, position, messagesFileSchema);
  const link = help && linkTo(MESSAGES, ports);
  const markdown = paragraphs(help?.markdown, turnText(document, keys), link);
  if (markdown === '') return undefined;
  return markdownHover({ markdown, range: help?.range ?? document.entryRangeOf(keys) });
}

function linkTo(page: string | undefined, { docsLink }: DocsPorts): string | undefined {
  return page && docsLink && `[Documentation](${docsLink(page)})`;
}

function markdownHover({ markdown, range }: HoverPart): Hover {
  return { contents: { kind: 'markdown', value: markdown }, range };
}

function turnText({ value }: YamlDocument, [index]: Path): string | undefined {
  if (!Array.isArray(value) || typeof index !== 'number') return undefined;
  const { turn } = numberTurns(value)[index] ?? {};
  const number = `Message ${index + 1} of ${value.length}`;
  return turn === undefined ? `${number}, not part of a turn.` : `${number}, part of turn ${turn}.`;
}

async function lastVerdict(
  document: EvalDocument,
  position: Position,
  { lastRuns, lastVariants, changeDetector = textChangeDetector, pastRuns }: ResultPorts,
): Promise<HoverPart | undefined> {
  const { suite } = document;
  const found = suite.outline.find(isIn(suite, position));
  if (found?.id === undefined) return undefined;
  const findSubject = subjectAt(document, found, position);
  const lines = findSubject ? await lastRuns(suite.path, found.id) : [];
  if (!findSubject || lines.length === 0) return undefined;
  const subject = findSubject();
  // Lists only variants that didn't pass, but counts all variants.
  const isCounted = subject.isCase && found.several !== undefined;
  const listed = isCounted ? lines.filter(isFailure) : lines;
  const now = changeDetector(suite, found);
  const changes = await Promise.all(lines.map((line) => now.changeOf(line)));
  const parts = listed.flatMap((line) => {
    const markdown = subject.describe(line, line.source.hash !== found.hash);
    if (markdown === undefined) return [];
    const title = lines.length > 1 || line.variant !== undefined ? titleOf(line) : '';
    return [`${title}${markdown}`];
  });
  const all = (isCounted && (await lastVariants?.(suite.path, found.id))) || [];
  const changed = [...changes, ...all.map(({ change }) => change)].find((one) => one);
  if (all.length > 0) parts.unshift(variantsMarkdown(all));
  if (parts.length === 0) return undefined;
  const past = subject.isCase && (await pastRuns?.(suite.path, found.id));
  return {
    markdown: paragraphs(changeMarkdown(changed), past && historyText(past), ...parts),
    range: subject.range,
  };
}

function titleOf({ variant, repetition, repetitions }: CaseLine): string {
  const repeated = variant === undefined || repetitions > 1 ? [`Repetition ${repetition}`] : [];
  const named = variant === undefined ? [] : [escapeLine(variant, 80)];
  return `### ${[...named, ...repeated].join(' · ')}\n\n`;
}

function isIn(suite: LoadedSuite, position: Position) {
  return ({ path, range }: OutlineCase | OutlineAssertion) =>
    path === suite.path && contains(range, position);
}

interface Subject {
  readonly range: Range;
  readonly isCase?: true;
  describe(line: CaseLine, stale: boolean): string | undefined;
}

/** The innermost subject at a position. An assertion under a turn takes precedence over the turn. */
function subjectAt(
  document: EvalDocument,
  found: OutlineCase,
  position: Position,
): (() => Subject) | undefined {
  const assertion = found.assertions.find(isIn(document.suite, position));
  if (assertion) return () => assertionSubject(document, found, assertion, position);
  const turn = found.turns.find(({ range }) => contains(range, position));
  if (turn) {
    // The reply to a scripted turn isn't in the file.
    const [, reply] = turn.turns;
    const describe = (line: CaseLine) => {
      const words = reply === undefined ? undefined : replyMarkdown(line, reply);
      return paragraphs(words, turnMarkdown(line, turn.turns)) || undefined;
    };
    return () => ({ range: turn.range, describe });
  }
  const { yaml } = document;
  const { path, onKey } = yaml.pathAt(position);
  if (onKey && path.length === 3 && path[2] === 'simulate') {
    return () => ({ range: yaml.keyRangeOf(path), describe: caseMarkdown });
  }
  return contains(found.nameRange, position)
    ? () => ({ range: found.nameRange, isCase: true, describe: caseMarkdown })
    : undefined;
}

function assertionSubject(
  { yaml, suite }: EvalDocument,
  found: OutlineCase,
  assertion: OutlineAssertion,
  position: Position,
): Subject {
  const suiteCase = suite.suite?.cases.find(({ id }) => id === found.id);
  const { path } = yaml.pathAt(position);
  const chain = assertionChain(yaml, found, assertion, path, suiteCase);
  const last = chain.at(-1);
  return {
    range: last && last !== chain[0] ? yaml.entryRangeOf(last.path) : assertion.range,
    describe({ verdicts, source }, stale) {
      const moved = found.range.start.line - source.range.start.line;
      const changes = { stale, moved, suiteCase };
      const verdict = recordedVerdict(verdicts, chain, changes);
      if (verdict) return verdictMarkdown(verdict, isCachedAmong(verdicts)(verdict));
      const outer = recordedVerdict(verdicts, [chain[0]], changes);
      return outer && '_The last run did not reach this assertion._';
    },
  };
}
