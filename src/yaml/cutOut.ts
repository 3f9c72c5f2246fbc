import type { TextEdit } from 'vscode-languageserver-types';
import { isAlias, isNode, isScalar, type Node, visit } from 'yaml';
import { type Path, valueAt } from '../core/data.ts';
import { columnOf, replaceValue } from './edits.ts';
import { endOfLine, startOfNextLine } from './lines.ts';
import { behindColon, endOf, isFlow, nodeAt, startOf } from './nodes.ts';
import type { Written } from './write.ts';
import type { YamlDocument } from './yamlDocument.ts';

/** The value of an entry as it is written, with its comments, to be put elsewhere. */
export interface CutOut extends Written {
  /** Puts something short in its place. */
  replaceBy(value: string): TextEdit[];
}

/** Cuts out the value of an entry; undefined where none stands there or anchors tie it to its place. */
export function cutOut(yaml: YamlDocument, path: Path): CutOut | undefined {
  const { node, pair } = nodeAt(yaml.root, path) ?? {};
  if (!node || !pair || isTied(node)) return undefined;
  const { text } = yaml;
  const colon = behindColon(pair, text);
  if (colon === undefined) return undefined;
  const value = valueAt(yaml.value, path);
  const replaceBy = (short: string) => replaceValue(yaml, path, short);
  const below = !isFlow(node) && !isScalar(node);
  if (!below) {
    const own = text.slice(startOf(node), endOf(node, text));
    return { value, text: dedented(own, columnOf(text, startOf(pair)), 1), below, replaceBy };
  }
  const lines = text.slice(startOfNextLine(text, colon), endOfLine(text, endOf(node, text)));
  return { value, text: dedented(lines, columnOf(text, startOf(node))), below, replaceBy };
}

function isTied(node: Node): boolean {
  let tied = false;
  visit(node, (_key, inner) => {
    if (isAlias(inner) || (isNode(inner) && 'anchor' in inner && inner.anchor !== undefined)) {
      tied = true;
      return visit.BREAK;
    }
    return undefined;
  });
  return tied;
}

/** Lines moved to the left, at most by their indent; the first ones as they are. */
function dedented(text: string, columns: number, from = 0): string {
  return text
    .split(/\r?\n/)
    .map((line, index) => {
      const indent = line.length - line.trimStart().length;
      return index < from ? line : line.slice(Math.min(columns, indent));
    })
    .join('\n');
}
