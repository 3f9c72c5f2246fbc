import { findAssertionType } from '../assertions/registry.ts';
import { mappingOf, type Path, valueAt } from '../core/data/data.ts';
import type { Problem } from '../core/problem.ts';
import { isMessagesFile } from '../node/paths.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import type { LanguagePorts } from './ports.ts';

const EVAL_FILE = 'reference/eval-file.md';
const MODELS = 'reference/models.md';
export const MESSAGES = 'reference/messages.md';

/** Pages about the values of keys. Each function gets the value, or for a key in `ITEMS`, an item of it. */
const PAGES: Readonly<Record<string, (value: unknown) => string>> = {
  assert: assertionPage,
  history: () => MESSAGES,
  judge: modelPage,
  matrix: () => `${EVAL_FILE}#several-conversations`,
  model: modelPage,
  models: modelPage,
  simulate: () => 'guides/simulated-users.md',
  target: targetPage,
  targets: targetPage,
  tools: () => `${EVAL_FILE}#tool`,
  transcript: () => MESSAGES,
  transcripts: () => `${EVAL_FILE}#several-conversations`,
};

const ITEMS = ['assert', 'models', 'targets'];

/** The page about a place in an eval file, such as `reference/models.md#openai`. */
export function docsPageAt(root: unknown, path: Path): string {
  for (const [above, key] of [...path].reverse().entries()) {
    const pageOf = Object.hasOwn(PAGES, key) ? PAGES[key] : undefined;
    const end = path.length - above + (ITEMS.includes(String(key)) ? 1 : 0);
    if (pageOf) return pageOf(valueAt(root, path.slice(0, end)));
  }
  const [top] = path;
  return `${EVAL_FILE}#${top === 'cases' || typeof top === 'number' ? 'case' : 'file'}`;
}

function assertionPage(assertion: unknown): string {
  if (typeof assertion === 'string') return 'assertions/criterion.md';
  const type = findAssertionType(mappingOf(assertion).type)?.type;
  return type === undefined ? 'reference/assertions.md' : `assertions/${type}.md`;
}

function modelPage(model: unknown): string {
  const [provider] = typeof model === 'string' ? model.split(':') : [mappingOf(model).provider];
  return withHeading(MODELS, provider);
}

function targetPage(target: unknown): string {
  return withHeading('reference/targets.md', mappingOf(target).type);
}

/** A page opens at its start if it has no such heading. */
function withHeading(page: string, heading: unknown): string {
  return typeof heading === 'string' && /^[\w-]+$/.test(heading) ? `${page}#${heading}` : page;
}

/** @returns a function that returns the page about a problem */
export async function problemPages(
  problems: readonly Problem[],
  documentAt: LanguagePorts['documentAt'],
): Promise<(problem: Problem) => string> {
  const documents = new Map<string, YamlDocument | undefined>();
  for (const { path } of problems) {
    if (documents.has(path) || !/\.ya?ml$/.test(path) || isMessagesFile(path)) continue;
    documents.set(path, (await documentAt(path))?.yaml);
  }
  return ({ code, path, range }) => {
    if (code === 'no-judge') return MODELS;
    if (/^too-|-too-/.test(code)) return 'reference/limits.md';
    const yaml = documents.get(path);
    if (yaml) return docsPageAt(yaml.value, yaml.pathAt(range.start).path);
    return path.endsWith('.md') ? 'reference/prompts.md' : MESSAGES;
  };
}
