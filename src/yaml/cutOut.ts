import { isScalar } from 'yaml';
import { type Path, valueAt } from '../core/data/data.ts';
import { isTied } from './checkNodes.ts';
import { columnOf } from './edits.ts';
import { endOfLine, startOfNextLine } from './lines.ts';
import { behindColon, endOf, isFlow, nodeAt, startOf } from './nodes.ts';
import type { Written } from './quoting.ts';
import type { YamlDocument } from './yamlDocument.ts';

/**
 * The value of an entry as it is written, with its comments, to be put elsewhere; undefined if none
 * stands there or anchors tie it to its place.
 */
export function cutOut(yaml: YamlDocument, path: Path): Written | undefined {
  const { node, pair } = nodeAt(yaml.root, path) ?? {};
  if (!node || !pair || isTied(node)) return undefined;
  const { text } = yaml;
  const colon = behindColon(pair, text);
  if (colon === undefined) return undefined;
  const value = valueAt(yaml.value, path);
  const below = !isFlow(node) && !isScalar(node);
  if (!below) {
    const own = text.slice(startOf(node), endOf(node, text));
    return { value, text: dedented(own, columnOf(text, startOf(pair)), 1), below };
  }
  const lines = text.slice(startOfNextLine(text, colon), endOfLine(text, endOf(node, text)));
  return { value, text: dedented(lines, columnOf(text, startOf(node))), below };
}

/** Lines moved to the left, by at most their indent; the first ones as they are. */
function dedented(text: string, columns: number, from = 0): string {
  return text
    .split(/\r?\n/)
    .map((line, index) => {
      const indent = line.length - line.trimStart().length;
      return index < from ? line : line.slice(Math.min(columns, indent));
    })
    .join('\n');
}
