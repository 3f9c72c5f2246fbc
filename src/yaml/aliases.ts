import { type Alias, type Document, isAlias, type Node } from 'yaml';
import { anchorOf, eachNode, type Resolve } from './nodes.ts';

/** Looks through the document once, where the parser's own `resolve` does so for each alias. */
export function resolverOf(document: Document.Parsed): Resolve {
  let named: ReadonlyMap<Alias, Node | undefined> | undefined;
  return (alias) => {
    named ??= namedIn(document);
    return named.get(alias);
  };
}

function namedIn({ contents }: Document.Parsed): ReadonlyMap<Alias, Node | undefined> {
  const anchors = new Map<string, Node>();
  const named = new Map<Alias, Node | undefined>();
  eachNode(contents, (node) => {
    if (isAlias(node)) named.set(node, anchors.get(node.source));
    const anchor = anchorOf(node);
    if (anchor !== undefined) anchors.set(anchor, node);
  });
  return named;
}
