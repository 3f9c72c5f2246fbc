import type { DocumentLink } from 'vscode-languageserver-types';
import { type LinkedFile, type LinkPorts, linkedFile } from '../linkedFile.ts';
import { namesFile } from '../name.ts';
import { namesOf } from '../names.ts';
import type { EvalDocument } from '../ports.ts';

/** Links on the paths in an eval file: to files that are there, and to those that could be. */
export async function documentLinks(
  { yaml }: EvalDocument,
  ports: LinkPorts,
): Promise<DocumentLink[]> {
  const looked = new Map<string, Promise<LinkedFile | undefined>>();
  const look = (reference: string) => {
    const known = looked.get(reference) ?? linkedFile(reference, yaml.path, ports);
    looked.set(reference, known);
    return known;
  };
  const places = namesOf(yaml).names.flatMap(({ kind, uses }) => (namesFile(kind) ? uses : []));
  const links = await Promise.all(
    places.map(async ({ range, text }): Promise<DocumentLink[]> => {
      const file = await look(text);
      if (!file) return [];
      const tooltip = file.exists ? 'Open the file' : 'Make the file';
      return [{ range, target: ports.uriOf(file.path), tooltip }];
    }),
  );
  return links.flat();
}
