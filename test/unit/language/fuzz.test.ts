import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { TextEdit } from 'vscode-languageserver-types';
import type { Position, Range } from '../../../src/core/problem.ts';
import { loadDocument } from '../../../src/evalfile/load.ts';
import { loadTranscript } from '../../../src/evalfile/transcript.ts';
import { codeActions, codeActionsOfText } from '../../../src/language/codeActions/codeActions.ts';
import { completion } from '../../../src/language/completion/completion.ts';
import { messageCompletion } from '../../../src/language/completion/messageCompletion.ts';
import { promptCompletion } from '../../../src/language/completion/promptCompletion.ts';
import { codeLenses } from '../../../src/language/features/codeLens.ts';
import { diagnosticsByFile } from '../../../src/language/features/diagnostics.ts';
import { formatting, onTypeFormatting } from '../../../src/language/features/formatting.ts';
import { inlayHints } from '../../../src/language/features/inlayHints.ts';
import { foldingRanges, selectionRanges } from '../../../src/language/features/ranges.ts';
import {
  definition,
  documentLinks,
  references,
} from '../../../src/language/features/references.ts';
import { prepareRename, rename } from '../../../src/language/features/rename.ts';
import { semanticTokens } from '../../../src/language/features/semanticTokens.ts';
import {
  documentSymbols,
  messageSymbols,
  workspaceSymbols,
} from '../../../src/language/features/symbols.ts';
import { hover, messageHover, promptHover } from '../../../src/language/hover/hover.ts';
import type { EvalDocument } from '../../../src/language/ports.ts';
import { indexedFile } from '../../../src/language/symbols/sameSymbol.ts';
import { cpuTime, runSync } from '../../../src/node/cooperative.ts';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';
import { memoryFiles, SUITE, WORKSPACE } from '../../support/evalFiles.ts';
import { evalTexts, messageFiles, place, promptTexts } from '../../support/fuzzTexts.ts';
import { assertFolds, assertPlaces, assertTokens } from '../../support/language/placesIn.ts';
import { tries } from '../../support/long.ts';
import { timeOfUnit } from '../../support/work.ts';

/** The same seed gives the same texts in every run; change it to get others. */
const SEED = 20_261_121;

/** Numbers of texts of each kind. */
const EVAL_TEXTS = tries(17_000, 300);
const PROMPT_TEXTS = tries(1_500, 100);
const MESSAGE_TEXTS = tries(1_500, 100);

/** Maximum work to run the features on one text, in units. */
const MAX_WORK = 250;

const OPTIONS = { insertSpaces: true, tabSize: 2 };
const PROMPT = `${WORKSPACE}/judges/judge.md`;

/** A text, its related files, and positions in it. */
interface Situation {
  readonly text: string;
  readonly document: EvalDocument;
  readonly position: Position;
  readonly range: Range;
  readonly ports: ReturnType<typeof portsOf>;
}

type Feature = (situation: Situation) => unknown;

/** All features for eval files. The names appear in failure messages. */
const FEATURES: Readonly<Record<string, Feature>> = {
  codeActions: async ({ document, position, range, ports }) => {
    const own = diagnosticsByFile(document.suite.problems).get(SUITE) ?? [];
    const at = own[0]?.range ?? { start: position, end: position };
    return [
      await codeActions(document, at, own, ports),
      await codeActions(document, range, [], ports),
    ];
  },
  codeLenses: ({ document }) => codeLenses(document, uriOf(SUITE)),
  completion: ({ text, position, ports }) =>
    completion(text, SUITE, position, { ...ports, snippets: true }),
  definition: ({ position, ports }) => definition(SUITE, position, ports),
  documentLinks: ({ document, ports }) => documentLinks(document, ports),
  documentSymbols: ({ document }) => documentSymbols(document),
  foldingRanges: ({ document, text }) => assertFolds(foldingRanges(document), text),
  formatting: async ({ document, text }) => {
    const edits = runSync(formatting(document, OPTIONS));
    assertPlaces(edits, uriOf(SUITE), { [uriOf(SUITE)]: text });
    // Editors normalize all line breaks in a file.
    if (/\r/.test(text) && /(?<!\r)\n/.test(text)) return;
    const formatted = parseYaml(edited(document, edits), SUITE);
    assert.deepEqual(
      runSync(formatting({ ...document, yaml: formatted }, OPTIONS)),
      [],
      'formatted once',
    );
  },
  hover: ({ document, position, ports }) =>
    hover(document, position, { lastRuns: async () => [] }, ports),
  inlayHints: ({ document, range }) =>
    inlayHints(document, range, { lastRuns: async () => [] }, { turnNumbers: true, scores: true }),
  onTypeFormatting: ({ document, position }) => onTypeFormatting(document, position, '\n', OPTIONS),
  references: ({ position, ports }) => references(SUITE, position, true, ports),
  rename: async ({ position, ports }) => [
    await prepareRename(SUITE, position, ports),
    await rename(SUITE, position, 'another', ports),
  ],
  selectionRanges: ({ document, position, range }) =>
    selectionRanges(document, [position, range.start, range.end]),
  semanticTokens: ({ document, text }) => assertTokens(semanticTokens(document).data, text),
  workspaceSymbols: ({ document }) => workspaceSymbols('a', [document.suite], uriOf),
};

/** Number of features to run on each text, so that all texts can be tested within a minute. */
const ASKED = 4;

describe('no text', () => {
  it(`of ${EVAL_TEXTS} eval files makes a feature throw, return a range outside of the text, or hang`, async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const longest = MAX_WORK * (await timeOfUnit());
    const names = Object.keys(FEATURES);
    const property = fc.asyncProperty(
      evalTexts,
      fc.array(place, { minLength: 3, maxLength: 3 }),
      fc.nat(names.length - 1),
      async (text, [first = 0, second = 0, third = 0], from) => {
        const begun = cpuTime();
        const situation = await situationOf(text, first, second, third);
        const texts = { [uriOf(SUITE)]: text, [uriOf(PROMPT)]: PROMPT_TEXT };
        assertPlaces(
          situation.document.suite.problems.filter(({ path }) => path === SUITE),
          uriOf(SUITE),
          texts,
        );
        for (let index = 0; index < ASKED; index += 1) {
          const name = names[(from + index) % names.length] ?? '';
          try {
            assertPlaces(await FEATURES[name]?.(situation), uriOf(SUITE), texts);
          } catch (error) {
            throw new Error(`${name}: ${String(error)}`, { cause: error });
          }
        }
        assert.ok(cpuTime() - begun < longest, 'it took too much work');
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: EVAL_TEXTS });
  });

  it(`of ${PROMPT_TEXTS} judge prompts does`, async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const longest = MAX_WORK * (await timeOfUnit());
    const property = fc.asyncProperty(promptTexts, place, async (text, at) => {
      const begun = cpuTime();
      const uri = uriOf(PROMPT);
      const position = positionAt(text, at);
      const { ports, document } = await situationOf(USING_PROMPT, 0, 0, 0, text);
      const own = diagnosticsByFile(document.suite.problems).get(PROMPT) ?? [];
      const answers = [
        own,
        codeActionsOfText(PROMPT, text, own, { uriOf }),
        runSync(promptCompletion(text, position, { snippets: true, variables: ['city'] })),
        await promptHover(PROMPT, position, ports),
        await definition(PROMPT, position, ports),
        await references(PROMPT, position, true, ports),
        await rename(PROMPT, position, 'another', ports),
      ];
      assertPlaces(answers, uri, { [uri]: text, [uriOf(SUITE)]: USING_PROMPT });
      assert.ok(cpuTime() - begun < longest, 'it took too much work');
    });
    await fc.assert(property, { seed: SEED, numRuns: PROMPT_TEXTS });
  });

  it(`of ${MESSAGE_TEXTS} files of messages does`, async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const longest = MAX_WORK * (await timeOfUnit());
    const property = fc.property(messageFiles, place, ({ name, text }, at) => {
      const begun = cpuTime();
      const path = `${WORKSPACE}/${name}`;
      const position = positionAt(text, at);
      const problems = loadTranscript(text, path).problems;
      const own = diagnosticsByFile(problems).get(path) ?? [];
      const answers = [
        problems,
        codeActionsOfText(path, text, own, { uriOf }),
        runSync(messageCompletion(text, path, position, { snippets: true })),
        runSync(messageHover(text, path, position)),
        runSync(messageSymbols(text, path)),
      ];
      assertPlaces(answers, uriOf(path), { [uriOf(path)]: text });
      assert.ok(cpuTime() - begun < longest, 'it took too much work');
    });
    fc.assert(property, { seed: SEED, numRuns: MESSAGE_TEXTS });
  });
});

const PROMPT_TEXT =
  '---\nname: Judge\nvariables: [city]\n---\nIs {{conversation}} about {{context.city}}?\n';

const USING_PROMPT = `cases:
  - id: one
    context: { city: Rome }
    assert:
      - { type: llm-judge, prompt: ./judges/judge.md }
    transcript: [{ user: Hi }, { assistant: Hello }]
`;

async function situationOf(
  text: string,
  first: number,
  second: number,
  third: number,
  prompt = PROMPT_TEXT,
): Promise<Situation> {
  const files = memoryFiles({ [SUITE]: text, [PROMPT]: prompt });
  const yaml = parseYaml(text, SUITE);
  const suite = await loadDocument(yaml, files, { workspace: WORKSPACE, env: () => undefined });
  const document = { yaml, suite };
  const start = positionAt(text, Math.min(second, third));
  const range = { start, end: positionAt(text, Math.max(second, third)) };
  return {
    text,
    document,
    position: positionAt(text, first),
    range,
    ports: portsOf(document, files),
  };
}

function portsOf(document: EvalDocument, files: ReturnType<typeof memoryFiles>) {
  const readText = async (path: string) =>
    (await files.kindOf(path)) === 'file' ? files.read(path, Number.POSITIVE_INFINITY) : undefined;
  return {
    documents: [indexedFile(document)],
    documentAt: async (path: string) => (path === document.yaml.path ? document : undefined),
    files,
    readText,
    listFolder: async () => [{ name: 'judges', isFolder: true }],
    lastRuns: async () => [],
    editorModels: async () => [],
    setVariables: async () => [],
    lastVariants: async () => [],
    uriOf,
    workspaceOf: () => WORKSPACE,
    workspace: WORKSPACE,
  };
}

function uriOf(path: string): string {
  return `file://${path}`;
}

function positionAt(text: string, at: number): Position {
  const lines = text.slice(0, Math.floor(at * text.length)).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}

function edited({ yaml }: EvalDocument, edits: readonly TextEdit[]): string {
  return edits.reduceRight(
    (text, { range, newText }) =>
      text.slice(0, yaml.offsetAt(range.start)) + newText + text.slice(yaml.offsetAt(range.end)),
    yaml.text,
  );
}
