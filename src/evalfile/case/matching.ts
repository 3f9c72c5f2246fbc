import { basename, dirname } from 'node:path';
import { fixedFolder, PatternError } from '../../disk/glob.ts';
import { outsideMessage } from '../../node/paths.ts';
import { isReallyInside, resolveReference } from '../resolveReference.ts';
import type { Location, Scope } from '../scope.ts';

/** As `findMatches`, of those that are really in the workspace; others are reported. */
export async function filesMatching(
  pattern: string,
  location: Location,
  scope: Scope,
): Promise<string[]> {
  const inside: string[] = [];
  for (const path of await findMatches(pattern, location, scope)) {
    if (await isReallyInside(path, scope.options.workspace, scope.files)) inside.push(path);
    else scope.reporter.say('path-outside', outsideMessage(`"${basename(path)}"`), location);
  }
  return inside;
}

/** Absolute paths, sorted, of the files that a pattern matches; why it matches none is reported. */
export async function findMatches(
  pattern: string,
  location: Location,
  { document, files, options, reporter }: Scope,
): Promise<string[]> {
  // A glob looks into a folder that it names without wildcards, even through a link.
  const named = fixedFolder(pattern);
  if (
    pattern.startsWith('/') ||
    pattern
      .slice(named.length)
      .split(/[/\\{,}]/)
      .includes('..')
  ) {
    const message = 'Patterns are relative to this file and cannot contain ".." after a wildcard.';
    reporter.say('path-outside', message, location);
    return [];
  }
  if (pattern.includes('\\')) {
    reporter.say('wrong-pattern', 'Use "/" between folders, on Windows too.', location);
    return [];
  }
  const home = dirname(location.document.path);
  if ((await resolveReference(named, home, options.workspace, files)).kind === 'outside') {
    reporter.say('path-outside', outsideMessage(`"${named}"`), location);
    return [];
  }
  const matches = await files.glob([pattern], home).catch((error: unknown) => {
    if (!(error instanceof PatternError)) throw error;
    reporter.say('wrong-pattern', error.message, location);
    return undefined;
  });
  if (!matches) return [];
  const others = matches.filter((path) => path !== document.path);
  if (others.length === 0) {
    reporter.say('file-missing', `No file matches "${pattern}".`, location);
  }
  return others;
}
