import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { IGrammar, IRawGrammar } from 'vscode-textmate';

// Both are CommonJS bundles whose named exports Node can't detect ahead of time.
const require = createRequire(import.meta.url);
const oniguruma: typeof import('vscode-oniguruma') = require('vscode-oniguruma');
const textmate: typeof import('vscode-textmate') = require('vscode-textmate');

/** A minimal Markdown grammar: headings, bold text, and multi-line paragraphs. */
const MARKDOWN = {
  scopeName: 'text.html.markdown',
  patterns: [
    { match: '(?:^|\\G)#+ .*$', name: 'markup.heading.markdown' },
    { match: '(?:^|\\G)(?: {4}|\\t).*$', name: 'markup.raw.block.markdown' },
    {
      begin: '(?:^|\\G)(?=\\S)',
      while: '(?:^|\\G)(?=\\S)(?!#)',
      name: 'meta.paragraph.markdown',
      patterns: [{ match: '\\*\\*[^*]+\\*\\*', name: 'markup.bold.markdown' }],
    },
  ],
};

type Grammars = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Loads a grammar by its scope, as the editor does, with the grammars that it includes or that are injected into it.
 */
export async function loadGrammar(
  scope: string,
  grammars: Grammars,
  injected: readonly string[] = [],
): Promise<IGrammar> {
  const wasm = readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm);
  const all: Grammars = { 'text.html.markdown': MARKDOWN, ...grammars };
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (name) => (all[name] ?? null) as IRawGrammar | null,
    getInjections: (name) => (name === scope ? [...injected] : undefined),
  });
  const grammar = await registry.loadGrammar(scope);
  if (!grammar) throw new Error(`There is no grammar ${scope}.`);
  return grammar;
}

/** The tokens of a text in order, with all their scopes except the grammar's own. */
export function tokensOf(
  grammar: IGrammar,
  text: string,
): { readonly text: string; readonly line: number; readonly scopes: string }[] {
  let stack = textmate.INITIAL;
  return text.split('\n').flatMap((line, index) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    return tokens.map(({ startIndex, endIndex, scopes }) => ({
      text: line.slice(startIndex, endIndex),
      line: index + 1,
      scopes: scopes.slice(1).join(' '),
    }));
  });
}
