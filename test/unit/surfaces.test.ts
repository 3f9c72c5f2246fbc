// Tests texts from files, agents, and judges on every surface that can be shown without an editor. The conversation
// view has the same tests in a browser.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Hover } from 'vscode-languageserver-types';
import { runProgram } from '../../src/cli/commands.ts';
import { toConversation } from '../../src/core/conversation.ts';
import { visibleLog } from '../../src/core/logger.ts';
import { failuresOf, problemFailure } from '../../src/core/presentation/failureText.ts';
import type { CaseLine } from '../../src/core/record/runRecord.ts';
import { Scrubber } from '../../src/core/scrubber.ts';
import { labelText, noticeText, plainLog, promptText } from '../../src/core/text/visibleText.ts';
import { terminalText } from '../../src/extension/testing/output.ts';
import { diagnosticsByFile } from '../../src/language/features/diagnostics.ts';
import { inlayHints } from '../../src/language/features/inlayHints.ts';
import {
  documentSymbols,
  messageSymbols,
  workspaceSymbols,
} from '../../src/language/features/symbols.ts';
import { hover } from '../../src/language/hover/hover.ts';
import { runSync } from '../../src/node/cooperative.ts';
import { writeJUnit } from '../../src/report/junit.ts';
import { type FileReporterName, REPORTERS } from '../../src/report/registry.ts';
import { TerminalReporter } from '../../src/report/terminal.ts';
import type { RunEvent } from '../../src/runner/events.ts';
import { buildVerdict } from '../support/build.ts';
import { buildCaseLine, refOf, runEvents } from '../support/buildRun.ts';
import { HOSTILE_TEXTS, hiddenIn, NEEDED_WORDS } from '../support/hostileTexts.ts';
import { actionsOf } from '../support/language/codeActions.ts';
import { itemsAt } from '../support/language/completing.ts';
import { documentOf } from '../support/language/evalDocument.ts';
import { markedFiles } from '../support/namedFiles.ts';
import { reported } from '../support/reported.ts';

/** A case in which every field contains the text. */
function caseLine(text: string, status: 'fail' | 'error'): CaseLine {
  const said = status === 'fail' ? { status, score: 0.1 } : { status, score: null };
  const evidence = { text, verified: true };
  return buildCaseLine({
    id: text,
    ...said,
    suite: `/work/${text}.eval.yaml`,
    suite_name: text,
    description: text,
    tags: [text],
    reason: text,
    conversation: toConversation([
      { message: { role: 'user', content: text } },
      { message: { role: 'assistant', content: text, agent: text } },
      { message: { role: 'assistant', content: text, agent: `${text} too` } },
    ]),
    verdicts: [
      buildVerdict({
        ...said,
        type: text,
        name: text,
        label: text,
        reason: text,
        rationale: text,
        misses: [text, `Turn 2: ${text}`],
        hits: [text],
        details: { path: [{ node: text, asked: text, answer: text, why: text }] },
        path: `/work/${text}.eval.yaml`,
        turns: [{ ...said, turn: 2, rationale: text, evidence }],
      }),
    ],
  });
}

function eventsOf(text: string): RunEvent[] {
  const failed = caseLine(text, 'fail');
  const [started, ...rest] = runEvents([failed, { ...caseLine(text, 'error'), repetition: 2 }]);
  assert.ok(started);
  return [started, { kind: 'output', ref: refOf(failed), text }, ...rest];
}

/** Reporters that write a file, by name. */
const REPORTS = Object.fromEntries(
  Object.keys(REPORTERS).map((name) => [
    `the ${name} report`,
    async (events: readonly RunEvent[]) => {
      const text = reported(await REPORTERS[name as FileReporterName].load(), events);
      // The rest of the page is our own.
      return name === 'html'
        ? (/<script type="application\/json"[\s\S]*?<\/script>/.exec(text)?.[0] ?? '')
        : text;
    },
  ]),
);

/** Text as a reader sees it, with HTML entities decoded. */
function decoded(markdown: string): string {
  return markdown
    .replace(/&#(\d+);/g, (_found, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&nbsp;', ' ');
}

function terminal(events: readonly RunEvent[]): string {
  const written: string[] = [];
  const reporter = new TerminalReporter({
    write: (more) => written.push(more),
    live: false,
    colors: false,
    size: () => ({ columns: 200, rows: 30 }),
    folder: '/work',
    now: () => 0,
  });
  for (const event of events) reporter.event(event);
  reporter.finish();
  return written.join('');
}

/** A suite that contains the text everywhere, and an unknown key. */
function suite(text: string): string {
  const given = JSON.stringify(text);
  return `name: ${given}
models:
  ${given}: {provider: openai, model: ${given}}
judge: ${given}
cases:
  - id: ${given}
    description: ${given}
    tags: [${given}]
    ${given}: 1
    transcript:
      - user: ${given}
      - assistant: ${given}
      - ${given}: ${given}
    assert:
      - {type: contains, name: ${given}, value: ${given}, at: 2}
`;
}

function validSuite(text: string): string {
  const given = JSON.stringify(text);
  return `judge: {provider: openai, model: ${given}}
cases:
  - {id: a, tags: [${given}], transcript: [{user: Hi}, {assistant: Hi}], assert: [It greets.]}
`;
}

async function hovered(text: string, lines: readonly CaseLine[]): Promise<string> {
  const document = await documentOf(suite(text));
  const { ports } = await markedFiles({ 'suite.eval.yaml': suite(text) });
  const shown = await Promise.all(
    suite(text)
      .split('\n')
      .map((line, number) => {
        const position = { line: number, character: line.indexOf('"') + 1 };
        return hover(document, position, { lastRuns: async () => lines }, ports);
      }),
  );
  return shown.map(markdownOf).join('\n');
}

async function scoresIn(text: string, lines: readonly CaseLine[]): Promise<string> {
  const settings = { turnNumbers: true, scores: true };
  return textsIn(
    await inlayHints(
      await documentOf(suite(text)),
      EVERYWHERE,
      { lastRuns: async () => lines },
      settings,
    ),
  );
}

/** Markdown with its escapes resolved. */
function unescaped(markdown: string): string {
  return markdown.replace(/&#(\d+);/g, (_entity, code) => String.fromCharCode(Number(code)));
}

function markdownOf(found: Hover | undefined): string {
  const { contents } = found ?? { contents: '' };
  return unescaped(typeof contents === 'object' && 'value' in contents ? contents.value : '');
}

/** All texts in a feature's answer, on separate lines. */
function textsIn(answer: unknown): string {
  const texts: string[] = [];
  JSON.stringify(answer, (key, value: unknown) => {
    // Edits and URIs are for the editor, not for a reader.
    if (['edit', 'textEdit', 'filterText', 'uri', 'data'].includes(key)) return undefined;
    if (typeof value === 'string') texts.push(unescaped(value));
    return value;
  });
  return texts.join('\n');
}

const EVERYWHERE = { start: { line: 0, character: 0 }, end: { line: 999, character: 0 } };

describe('what files, agents and judges say', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnlight-surfaces-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const commandLine = async (text: string, ...args: readonly string[]) => {
    let written = '';
    const stream = {
      write: (more: string) => {
        written += more;
      },
      report() {},
      command() {},
      isTty: false,
      size: () => ({ columns: 200, rows: 30 }),
    };
    await writeFile(join(folder, 'a.eval.yaml'), text);
    const catchInterrupt = () => new AbortController().signal;
    const env = () => undefined;
    await runProgram(args, {
      folder,
      env,
      scrubber: new Scrubber(),
      out: stream,
      err: stream,
      catchInterrupt,
      processEnv: env,
      fileVariables: {},
      hostsFromFile: [],
    });
    return written;
  };

  const surfaces: Readonly<Record<string, (text: string) => string | Promise<string>>> = {
    'the terminal': (text) => terminal(eventsOf(text)),
    ...Object.fromEntries(
      Object.entries(REPORTS).map(([name, report]) => [
        name,
        async (text: string) => decoded(await report(eventsOf(text))),
      ]),
    ),
    'turnlight list': (text) => commandLine(suite(text), 'list'),
    'turnlight check': (text) => commandLine(suite(text), 'check'),
    'turnlight check --format json': (text) =>
      commandLine(suite(text), 'check', '--format', 'json'),
    'turnlight plan': (text) => commandLine(validSuite(text), 'plan'),
    'turnlight plan --format json': (text) =>
      commandLine(validSuite(text), 'plan', '--format', 'json'),
    'a mistaken --tag': (text) => commandLine(validSuite(text), 'run', '--tag', 'none'),
    hovers: (text) => hovered(text, [caseLine(text, 'fail'), caseLine(text, 'error')]),
    'the outline': async (text) => textsIn(documentSymbols(await documentOf(suite(text)))),
    'the outline of messages': (text) =>
      textsIn(
        runSync(
          messageSymbols(
            JSON.stringify([
              { role: 'user', content: text },
              { role: text, content: text },
              { role: 'assistant', tool_calls: [{ function: { name: text, arguments: '{}' } }] },
            ]),
            '/a.messages.json',
          ),
        ),
      ),
    'the symbols of the workspace': async (text) =>
      textsIn(await workspaceSymbols('', [(await documentOf(suite(text))).suite], (path) => path)),
    'scores in the text': (text) => scoresIn(text, [caseLine(text, 'fail')]),
    diagnostics: async (text) =>
      textsIn([...diagnosticsByFile((await documentOf(suite(text))).suite.problems).values()]),
    'quick fixes': async (text) => textsIn(await actionsOf(suite(text))),
    completion: async (text) =>
      textsIn(await itemsAt(suite(text).replace(/^judge: .*/m, 'judge: |'))),
    'test messages': (text) =>
      [caseLine(text, 'fail'), caseLine(text, 'error')]
        .flatMap(failuresOf)
        .map((failure) => failure.text)
        .join('\n'),
    'test messages of invalid cases': async (text) =>
      (await documentOf(suite(text))).suite.problems
        .map((problem) => problemFailure(problem).text)
        .join('\n'),
    'the output of a test': (text) => terminalText(text).replaceAll('\r\n', '\n'),
    'the log of the editor': (text) => {
      const told: string[] = [];
      const tell = (message: string) => told.push(message);
      const log = visibleLog({ debug: tell, info: tell, warn: tell, error: tell });
      for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](text);
      return told.join('\n');
    },
    'labels in the editor': labelText,
    notifications: noticeText,
    'prompts of input boxes': promptText,
  };

  for (const [name, show] of Object.entries(surfaces)) {
    for (const [deed, text] of Object.entries(HOSTILE_TEXTS)) {
      it(`is made visible in ${name} if it ${deed}`, async () => {
        const shown = await show(`zq ${text}`);
        assert.ok(shown.includes('zq '), shown);
        assert.deepEqual(hiddenIn(shown), [], shown);
      });
    }

    it(`stays as it is in ${name} where words need characters that nobody sees`, async () => {
      for (const word of NEEDED_WORDS) {
        const shown = await show(word);
        assert.ok(shown.includes(word), `${word}: ${shown}`);
      }
    });
  }

  const COMMANDS = ['::error::x', ' ::set-output name=a::b', '##[error]x', '##vso[task.complete]x'];

  const ANNOTATION = /^::error file=[^,]*,line=\d+,title=[^,:]*::/gm;

  const printed: Readonly<
    Record<string, (events: readonly RunEvent[]) => string | Promise<string>>
  > = {
    ...REPORTS,
    'the terminal': (events) => plainLog(terminal(events)),
    'the json report': async (events) =>
      plainLog((await REPORTS['the json report']?.(events)) ?? ''),
    'the github report': async (events) =>
      ((await REPORTS['the github report']?.(events)) ?? '').replace(ANNOTATION, ''),
  };

  for (const [name, print] of Object.entries(printed)) {
    it(`never becomes a CI command in ${name}`, async () => {
      for (const command of COMMANDS) {
        const text = await print(eventsOf(`x\n${command}\n${command}`));
        assert.doesNotMatch(text, /^\s*::|##\w*\[/m);
      }
    });
  }

  it('is on one line where a field has one', () => {
    const text = 'one\ntwo\r\nthree\u2028four';
    const events = eventsOf(text);
    const xml = reported(writeJUnit, events);
    const values = [...xml.matchAll(/ [a-z]+="([^"]*)"/g)].map(([, value]) => value);
    assert.ok(values.includes('one two three four'), xml);
    assert.deepEqual(
      values.filter((value) => /\n|&#1[03];/.test(value ?? '')),
      [],
    );
    const [first] = terminal(events).split('\n');
    assert.match(first ?? '', /one two three four/);
  });

  it('is no icon and no link in prompts of input boxes, which all use the same function', async () => {
    assert.equal(promptText('$(trash) [go](command:x)'), '\\$(trash) [go] (command:x)');
    const asking: string[] = [];
    const folder = join(import.meta.dirname, '../../src/extension');
    for (const path of await readdir(folder, { recursive: true })) {
      if (!path.endsWith('.ts')) continue;
      const text = await readFile(join(folder, path), 'utf8');
      if (/showInputBox|createInputBox/.test(text)) asking.push(path);
    }
    assert.deepEqual(asking, ['workspace.ts']);
  });

  it('is no icon and no link in labels and notifications', () => {
    assert.equal(labelText('$(trash) $(sync~spin) $(1.00)'), '\\$(trash) \\$(sync~spin) $(1.00)');
    assert.equal(noticeText('[go](command:x) and\n(b)'), '[go] (command:x) and (b)');
  });
});

describe('a score just below its threshold', () => {
  const score = 0.8496;
  const threshold = 0.85;
  const turns = [{ turn: 2, status: 'fail' as const, score, rationale: '' }];
  const ofVerdict = buildCaseLine({
    id: 'a',
    status: 'fail',
    score,
    verdicts: [buildVerdict({ status: 'fail', score, threshold, turns })],
  });
  const ofCase = buildCaseLine({
    id: 'a',
    status: 'fail',
    score,
    threshold,
    verdicts: [
      buildVerdict({ name: 'Kind', status: 'pass', score: 1 }),
      buildVerdict({ name: 'Short', status: 'pass', score: 2 * score - 1 }),
    ],
  });

  const surfaces: Readonly<Record<string, (line: CaseLine) => string | Promise<string>>> = {
    'the terminal': (line) => terminal(runEvents([line])),
    'the JUnit report': (line) => reported(writeJUnit, runEvents([line])),
    hovers: (line) => hovered('a', [line]),
    'test messages': (line) =>
      failuresOf(line)
        .map(({ text }) => text)
        .join('\n'),
  };

  const assertBelow = (shown: string) => {
    assert.ok(shown.includes('0.8496'), shown);
    assert.doesNotMatch(shown.replace(/threshold 0\.85/g, ''), /0\.85/);
  };

  for (const [name, show] of Object.entries(surfaces)) {
    it(`never reads as reaching it in ${name}`, async () => {
      assertBelow(await show(ofVerdict));
      assertBelow(await show(ofCase));
    });
  }

  it('never reads as reaching it behind a turn', async () => {
    assertBelow(await scoresIn('a', [ofVerdict]));
  });
});
