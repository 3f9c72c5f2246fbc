import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_ESTIMATE } from '../../../src/core/estimate.ts';
import type { Position } from '../../../src/core/problem.ts';
import type { CaseLine } from '../../../src/core/runRecord.ts';
import { loadDocument } from '../../../src/evalfile/load.ts';
import { parseYaml } from '../../../src/evalfile/yamlDocument.ts';
import { codeLenses, resolveLens } from '../../../src/language/features/codeLens.ts';
import { completion } from '../../../src/language/features/completion.ts';
import { diagnosticsByFile } from '../../../src/language/features/diagnostics.ts';
import { documentSymbols } from '../../../src/language/features/documentSymbols.ts';
import { hover } from '../../../src/language/features/hover.ts';
import { quickFixes } from '../../../src/language/features/quickFix.ts';
import type { EvalDocument } from '../../../src/language/ports.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine } from '../../support/buildRun.ts';
import { memoryFiles, SUITE, WORKSPACE } from '../../support/evalFiles.ts';

/** A text with the cursor as `|`. */
function cursor(marked: string): { readonly text: string; readonly position: Position } {
  const before = marked.slice(0, marked.indexOf('|'));
  const lines = before.split('\n');
  return {
    text: marked.replace('|', ''),
    position: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 },
  };
}

async function documentOf(text: string): Promise<EvalDocument> {
  const yaml = parseYaml(text, SUITE);
  const suite = await loadDocument(yaml, memoryFiles({ [SUITE]: text }), {
    workspace: WORKSPACE,
    env: () => undefined,
    defaultJudge: 'openai:test',
  });
  return { yaml, suite };
}

async function hoverAt(marked: string, ...lines: CaseLine[]): Promise<string> {
  const { text, position } = cursor(marked);
  const found = await hover(await documentOf(text), position, async () => lines);
  const contents = found?.contents;
  return typeof contents === 'object' && 'value' in contents ? contents.value : '';
}

describe('hover', () => {
  const text = (marked: string) =>
    `cases:\n  - id: one\n    transcript:\n${marked}    assert:\n      - {type: contains, value: x}\n`;
  const messages = '      - user: Hi\n      - assistant: Hello\n';
  const line = buildCaseLine({
    id: 'one',
    status: 'fail',
    verdicts: [
      buildVerdict({
        name: 'Remembers',
        status: 'fail',
        score: 0.25,
        turns: [
          {
            turn: 2,
            status: 'fail',
            score: 0.25,
            rationale: 'Forgot <img src=x> the [order](command:x).',
            evidence: { text: 'Hello', verified: true },
          },
        ],
      }),
    ],
  });

  it('explains a key', async () => {
    assert.match(await hoverAt('cas|es: []\n'), /\*\*cases\*\*/);
  });

  it('explains an assertion type with its formula', async () => {
    const marked = text(messages).replace('contains', 'cont|ains');
    assert.match(await hoverAt(marked), /Score: 1 when/);
  });

  it('calls a key required only where it may not be left out', async () => {
    const assertion = (keys: string) =>
      `cases:\n  - id: one\n    assert:\n      - {type: contains, ${keys}}\n`;
    assert.match(await hoverAt(assertion('val|ue: x')), /_\(required\)_/);
    assert.doesNotMatch(await hoverAt(assertion('value: x, ignore|_case: true')), /required/);
    assert.doesNotMatch(await hoverAt(assertion('value: x, neg|ate: true')), /required/);
  });

  it("shows a turn's last verdict with score, rationale and quote", async () => {
    const shown = await hoverAt(text(messages.replace('Hello', 'He|llo')), line);
    assert.match(shown, /Turn 2: fail.*score 0\.25/);
    assert.match(shown, /Remembers/);
    assert.match(shown, /“Hello”/);
  });

  it('lets no text of an agent or a judge act', async () => {
    const shown = await hoverAt(text(messages.replace('Hello', 'He|llo')), line);
    assert.ok(!shown.includes('<img') && !shown.includes('](command'), shown);
  });

  it('says when the case has changed since', async () => {
    const shown = await hoverAt(text(messages.replace('Hello', 'He|llo')), line);
    assert.match(shown, /has changed since this run/);
  });

  it('marks a quote that the turn does not hold', async () => {
    const unverified = structuredClone(line);
    const entry = unverified.verdicts[0]?.turns[0];
    if (entry) entry.evidence = { text: 'Invented', verified: false };
    const shown = await hoverAt(text(messages.replace('Hello', 'He|llo')), unverified);
    assert.match(shown, /not found in this turn/);
  });

  it('shows the whole case on its id, and an assertion on its line', async () => {
    assert.match(await hoverAt(text(messages).replace('one', 'o|ne'), line), /Last run.*fail/);
    const marked = text(messages).replace('value: x', 'val|ue: x');
    assert.match(await hoverAt(marked, line), /Remembers\*\* — fail, 0\.25 \(threshold 0\.50\)/);
  });
});

describe('what stands beside the text', () => {
  const text =
    'cases:\n  - id: one\n    transcript: [{user: Hi}, {assistant: x}]\n    assert: [y]\n';

  it('is a lens on the file and two on each case', async () => {
    const document = await documentOf(text);
    const estimate = async () => ({ ...NO_ESTIMATE, requests: 3, inputTokens: 9_800 });
    const lenses = await Promise.all(
      codeLenses(document, 'file:///suite').map((lens) =>
        resolveLens(lens, document.suite, estimate),
      ),
    );
    assert.deepEqual(
      lenses.map(({ command, range }) => [command?.title, range.start.line]),
      [
        ['Run all', 0],
        ['Run (about 3 requests, 9.8k tokens, free)', 1],
        ['Open conversation', 1],
      ],
    );
  });

  it('is an outline of cases and turns', async () => {
    const [one] = documentSymbols(await documentOf(text));
    assert.deepEqual(
      [one?.name, one?.children?.map(({ name, detail }) => [name, detail])],
      [
        'one',
        [
          ['Hi', 'user, turn 1'],
          ['x', 'assistant, turn 2'],
          ['y', 'assertion'],
        ],
      ],
    );
  });

  it('is a mistake with a fix where it is known', async () => {
    const { suite } = await documentOf(text.replace('assert', 'asert'));
    const found = diagnosticsByFile(suite.problems).get(SUITE) ?? [];
    const [fix] = quickFixes('file:///suite', found);
    assert.equal(fix?.title, 'Change to "assert"');
  });
});

describe('broken files', () => {
  const whole =
    'name: x\ntargets:\n  bot: {type: module, path: a}\ncases:\n  - id: one\n    turns:\n      - user: Hi\n        assert:\n          - type: contains\n            value: x\n';

  it('break no feature, wherever they are cut', async () => {
    for (let length = 0; length <= whole.length; length += 3) {
      const text = whole.slice(0, length);
      const document = await documentOf(text);
      const lines = text.split('\n');
      const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
      codeLenses(document, 'file:///x');
      documentSymbols(document);
      await completion(text, SUITE, position);
      await hover(document, position, async () => []);
    }
  });
});
