import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  type Node,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { type Problem, type Range, START } from '../core/problem.ts';
import { eachNode, isFlow, keyOf, styleOf } from './nodes.ts';

export interface CheckedNodes {
  readonly problems: readonly Problem[];
  /** Whether the nodes can be made data of: a mapping as a key would be written out as text. */
  readonly readable: boolean;
  /** As in `isPlain`. */
  readonly plain: boolean;
}

/** What is wrong with a document beyond its syntax. One walk over its nodes. */
export function checkNodes(
  document: Document.Parsed,
  text: string,
  path: string,
  rangeOfOffsets: (start: number, end: number) => Range,
): CheckedNodes {
  const problems: Problem[] = [];
  const say = (code: string, message: string, node: unknown, details: Partial<Problem> = {}) =>
    problems.push({ code, message, severity: 'error', path, range: rangeOf(node), ...details });
  const rangeOf = (node: unknown): Range => {
    const span = (node as Node | null)?.range;
    return span ? rangeOfOffsets(span[0], span[1]) : START;
  };
  let readable = true;
  let plain = isWhole(document);
  const anchors = new Map<string, Node>();

  const checkAlias = (alias: Alias, above: readonly Node[]) => {
    const named = anchors.get(alias.source);
    if (named && !above.includes(named)) return;
    readable = false;
    // An alias within what it names would be written out without end.
    if (named) say('circular-alias', `*${alias.source} stands within what it names.`, alias);
    else say('unknown-alias', `Nothing before this is named &${alias.source}.`, alias);
  };
  const checkKeys = ({ items }: YAMLMap) => {
    const seen = new Set<string>();
    for (const pair of items) {
      const name = keyOf(pair)?.name;
      if (name === undefined) {
        readable = false;
        say('bad-key', 'A key must be a plain text.', pair.key);
        continue;
      }
      if (name === '<<') {
        const message = 'Merge keys (`<<`) are not read. Write the keys out, or use `defaults`.';
        say('merge-key', message, pair.key);
      } else if (seen.has(name)) {
        say('duplicate-key', `The key "${name}" stands here a second time. Remove one.`, pair.key);
      }
      seen.add(name);
    }
  };
  const checkText = (scalar: Scalar, above: readonly Node[]) => {
    const cut = commentThatCuts(scalar, text);
    if (!cut) return;
    const message = `From "${cut.words.split(/\s/)[0]}" on this is a comment and no part of the text. Put the whole text in quotes.`;
    const end = cut.start + cut.words.length;
    say('comment-cuts-text', message, scalar, {
      severity: 'warning',
      range: rangeOfOffsets(cut.start, end),
      // Within brackets the comment swallows what closes them.
      ...(!above.some(isFlow) && {
        fix: { quote: rangeOfOffsets(cut.from, cut.start + cut.words.trimEnd().length) },
      }),
    });
  };
  eachNode(document.contents, (node, isKey, above) => {
    if (isAlias(node)) checkAlias(node, above);
    else if (isMap(node)) checkKeys(node);
    else if (isScalar(node) && !isKey) checkText(node, above);
    const anchor = anchorOf(node);
    if (anchor !== undefined) anchors.set(anchor, node);
    plain &&= !tiesOthers(node);
  });
  return { problems, readable, plain };
}

/** Whether no part of a document changes what another means. */
export function isPlain(document: Document.Parsed): boolean {
  let plain = isWhole(document);
  eachNode(document.contents, (node) => {
    plain &&= !tiesOthers(node);
  });
  return plain;
}

function isWhole({ errors, warnings, directives }: Document.Parsed): boolean {
  return errors.length === 0 && warnings.length === 0 && directives.docStart === null;
}

function tiesOthers(node: Node): boolean {
  if (isAlias(node) || anchorOf(node) !== undefined) return true;
  return isMap(node) && !node.items.every(({ key }) => isScalar(key));
}

function anchorOf(node: Node): string | undefined {
  return 'anchor' in node ? node.anchor : undefined;
}

/** A comment behind a value that does not look like one: no blank after its `#`. */
const CUTTING_COMMENT = /[ \t]+(#[^\s#].*)/y;

/**
 * A text without quotes ends before ` #`, and what follows is a comment that nobody meant:
 *
 *     - user: My order #98765 has not come.
 */
function commentThatCuts(scalar: Scalar, text: string) {
  if (styleOf(scalar) !== 'plain' || !scalar.range) return undefined;
  const [from, end] = scalar.range;
  CUTTING_COMMENT.lastIndex = end;
  const [behind = '', words] = CUTTING_COMMENT.exec(text) ?? [];
  return words === undefined ? undefined : { from, start: end + behind.indexOf('#'), words };
}
