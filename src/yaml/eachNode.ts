import { isCollection, isNode, isPair, type Node } from 'yaml';

/**
 * Looks at every node, in the order of the text. The parser's own `visit` makes a list of what is
 * around each of them, which takes longer than all that is looked at here.
 *
 * @param look `above` are the lists and maps around the node, outermost first; it changes behind it
 */
export function eachNode(
  root: Node | null,
  look: (node: Node, isKey: boolean, above: readonly Node[]) => void,
): void {
  const above: Node[] = [];
  const walk = (item: unknown, isKey: boolean): void => {
    if (isPair(item)) {
      walk(item.key, true);
      walk(item.value, false);
      return;
    }
    if (!isNode(item)) return;
    look(item, isKey, above);
    if (!isCollection(item)) return;
    above.push(item);
    for (const one of item.items) walk(one, false);
    above.pop();
  };
  walk(root, false);
}
