import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { executionTitle } from '../../../src/core/presentation/words.ts';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { runFiles } from '../../support/runs.ts';

const talk = (reply: string) => [{ user: 'Hi' }, { assistant: reply }];

const SUITE = `cases:
  - id: greets
    transcripts: data.jsonl
    assert: [{type: contains, value: Hello}]
`;

describe('a run of a case with variants', () => {
  it('records each as a separate case, and a broken line as an error at its line', async (t) => {
    const data = [
      JSON.stringify({ id: 'polite', messages: talk('Hello') }),
      '{"messages": [{"user"',
      JSON.stringify({ messages: talk('Go away'), tags: ['rude'] }),
    ].join('\n');
    const { record, end, lines, workspace } = await runFiles(t, {
      'data.jsonl': data,
      'suite.eval.yaml': SUITE,
    });
    const told = lines.map((line) => [executionTitle(line), line.status, line.reason]).sort();
    assert.deepEqual(told, [
      [
        'greets/line-2',
        'error',
        "invalid-case: data.jsonl, line 2: This line is not valid JSON: Expected ':' after property name.",
      ],
      ['greets/line-3', 'fail', undefined],
      ['greets/polite', 'pass', undefined],
    ]);
    assert.deepEqual(end.counts, { pass: 1, fail: 1, error: 1, skipped: 0 });
    const read = await readRecord(record ?? '');
    const [broken] = lines.filter(({ status }) => status === 'error');
    assert.deepEqual(
      [broken?.fault?.path, broken?.fault?.range.start.line],
      [join(workspace, 'data.jsonl'), 1],
    );
    assert.deepEqual(read.cases.find(({ fault }) => fault)?.fault, broken?.fault);
    assert.match(await readFile(record ?? '', 'utf8'), /"fault":\{"path":"data\.jsonl"/);
    assert.deepEqual(read.cases.map(({ variant }) => variant).sort(), [
      'line-2',
      'line-3',
      'polite',
    ]);
    assert.deepEqual(read.cases.find(({ variant }) => variant === 'line-3')?.tags, ['rude']);
  });

  it('runs each as often as the case says', async (t) => {
    const { lines, end } = await runFiles(t, {
      'data.json': JSON.stringify([talk('Hello'), talk('Hello')]),
      'suite.eval.yaml': SUITE.replace('data.jsonl', 'data.json').replace(
        '    assert',
        '    repeat: 2\n    assert',
      ),
    });
    assert.deepEqual(lines.map(executionTitle).sort(), [
      'greets/item-1 1/2',
      'greets/item-1 2/2',
      'greets/item-2 1/2',
      'greets/item-2 2/2',
    ]);
    assert.equal(end.counts.pass, 2);
  });

  it('reads no conversations of a skipped case', async (t) => {
    const { lines } = await runFiles(t, {
      'data.jsonl': `${JSON.stringify({ messages: talk('Hello') })}\n{`,
      'suite.eval.yaml': SUITE.replace('    assert', '    skip: later\n    assert'),
    });
    assert.deepEqual(
      lines.map(({ status, reason }) => [status, reason]),
      [
        ['skipped', 'later'],
        ['skipped', 'later'],
      ],
    );
  });
});
