import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { errorAt, type Problem, type Range, START } from '../core/problem.ts';
import { anchorOf, eachNode, isFlow, keyOf, type Span, styleOf, valueUnder } from './nodes.ts';
import { quoteFix } from './quoting.ts';

/** A problem, and the item of `cases` that it affects. If that is undefined, the problem affects the whole document. */
export interface ConfinedProblem {
  readonly problem: Problem;
  readonly item: number | undefined;
}

/**
 * Finds problems beyond syntax in one walk. `unreadable` are the items of `cases` that can't be converted to data; if
 * undefined is one of them, it means the rest of the document.
 */
export function checkNodes(
  document: Document.Parsed,
  text: string,
  path: string,
  rangeOfOffsets: (start: number, end: number) => Range,
) {
  const problems: ConfinedProblem[] = [];
  const unreadable = new Set<number | undefined>();
  const cases = valueUnder(document.contents, 'cases');
  const items = new Map(isSeq<Node>(cases) ? cases.items.map((one, index) => [one, index]) : []);
  let item: number | undefined;
  const report = (code: string, message: string, node: unknown, details: Partial<Problem> = {}) => {
    const span = (node as Node | null)?.range;
    const range = span ? rangeOfOffsets(span[0], span[1]) : START;
    problems.push({ problem: { ...errorAt(path, range, code, message), ...details }, item });
  };
  let plain = standsAlone(document);
  const anchors = new Map<string, Node>();

  const checkAlias = (alias: Alias, above: readonly Node[]) => {
    const named = anchors.get(alias.source);
    if (named && !above.includes(named)) return;
    unreadable.add(item);
    // An alias inside its own anchor would expand forever.
    if (named)
      report('circular-alias', `*${alias.source} refers to a value that contains it.`, alias);
    else report('unknown-alias', `No earlier value has the anchor &${alias.source}.`, alias);
  };
  const checkKeys = (map: YAMLMap) => {
    const seen = new Set<string>();
    for (const pair of map.items) {
      const name = keyOf(pair)?.name;
      if (name === undefined) {
        // In the data, the key would be its own YAML text.
        unreadable.add(item);
        const variable = variableAt(map, pair, text);
        if (variable) {
          const range = rangeOfOffsets(...variable);
          const message = 'Text that starts with "{{" needs quotes.';
          report('bad-key', message, map, {
            range,
            fix: quoteFix(text.slice(...variable), range),
          });
        } else {
          report('bad-key', 'Keys must be plain text.', pair.key);
        }
        continue;
      }
      if (name === '<<') {
        const message =
          "Merge keys (`<<`) aren't supported. Write the keys out, or use `defaults`.";
        report('merge-key', message, pair.key);
      } else if (seen.has(name)) {
        report('duplicate-key', `Duplicate key "${name}". Remove one.`, pair.key);
      }
      seen.add(name);
    }
  };
  const checkText = (scalar: Scalar, above: readonly Node[]) => {
    const swallowed = itemInText(scalar, text);
    if (swallowed) {
      const message =
        'YAML reads this line as part of the text above it. Indent it like the other items.';
      const range = rangeOfOffsets(...swallowed);
      report('dash-in-text', message, scalar, { severity: 'warning', range });
    }
    const tagged = taggedText(scalar, text);
    if (tagged) {
      const range = rangeOfOffsets(...tagged);
      const message =
        'YAML reads the word after "!" as a tag, not as text. Put the whole text in quotes.';
      const fix = quoteFix(text.slice(...tagged), range);
      report('tag-in-text', message, scalar, { severity: 'warning', range, fix });
    }
    const cut = commentThatCuts(scalar, text);
    if (!cut) return;
    const message = `YAML reads everything from "${cut.words.split(/\s/)[0]}" on as a comment. Put the whole text in quotes.`;
    const whole: Span = [cut.from, cut.start + cut.words.trimEnd().length];
    report('comment-cuts-text', message, scalar, {
      severity: 'warning',
      range: rangeOfOffsets(cut.start, cut.start + cut.words.length),
      // In brackets, the comment also hides the closing bracket.
      ...(!above.some(isFlow) && {
        fix: quoteFix(text.slice(...whole), rangeOfOffsets(...whole)),
      }),
    });
  };
  eachNode(document.contents, (node, isKey, above) => {
    item = items.get(above[2] ?? node);
    if (isAlias(node)) checkAlias(node, above);
    else if (isMap(node)) checkKeys(node);
    else if (isScalar(node) && !isKey) checkText(node, above);
    const anchor = anchorOf(node);
    if (anchor !== undefined) anchors.set(anchor, node);
    plain &&= !isAnchorOrAlias(node);
  });
  return { problems, unreadable, plain };
}

/** Whether all parts of a document are independent of each other. */
export function isSelfContained(document: Document.Parsed): boolean {
  return standsAlone(document) && !hasAnchorOrAlias(document.contents);
}

function standsAlone({ warnings, directives }: Document.Parsed): boolean {
  return warnings.length === 0 && directives.docStart === null;
}

export function hasAnchorOrAlias(root: Node | null): boolean {
  let tied = false;
  eachNode(root, (node) => {
    tied ||= isAnchorOrAlias(node);
  });
  return tied;
}

function isAnchorOrAlias(node: Node): boolean {
  return isAlias(node) || anchorOf(node) !== undefined;
}

/** The span of `{{name}}`, which YAML reads as a mapping whose key is a mapping. */
function variableAt({ range }: YAMLMap, { key }: Pair, text: string): Span | undefined {
  return range && isMap(key) && text.startsWith('{{', range[0]) ? [range[0], range[1]] : undefined;
}

/** A list item that continues the text above because it's indented too far. */
function itemInText(scalar: Scalar, text: string): Span | undefined {
  if (styleOf(scalar) !== 'plain' || !scalar.range) return undefined;
  const [from, end] = scalar.range;
  const [line = '', words = ''] = /\n[ \t]*(- .*)/.exec(text.slice(from, end)) ?? [];
  if (words === '') return undefined;
  const start = text.indexOf(line, from) + line.length - words.length;
  return [start, start + words.length];
}

/** The span of text that starts with an unknown tag: `!important: call me`. */
function taggedText(scalar: Scalar, text: string): Span | undefined {
  const { tag, range } = scalar;
  if (!range || !tag?.startsWith('!') || styleOf(scalar) !== 'plain') return undefined;
  const start = text.lastIndexOf(tag, range[0]);
  return start < 0 ? undefined : [start, range[1]];
}

/** A comment after a value, with no space after its `#`. */
const CUTTING_COMMENT = /[ \t]*(#[^\s#].*)/y;

/**
 * Finds an unintended comment: unquoted text ends before ` #`, and the rest is a comment:
 *
 * - user: My order #98765 has not come.
 */
function commentThatCuts(scalar: Scalar, text: string) {
  if (styleOf(scalar) !== 'plain' || !scalar.range) return undefined;
  const [from, end] = scalar.range;
  CUTTING_COMMENT.lastIndex = end;
  const [behind = '', words] = CUTTING_COMMENT.exec(text) ?? [];
  return words === undefined ? undefined : { from, start: end + behind.indexOf('#'), words };
}
