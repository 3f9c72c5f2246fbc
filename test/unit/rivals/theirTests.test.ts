import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { isError } from '../../../src/core/problem.ts';
import { expandSuite } from '../../../src/evalfile/loadedSuite.ts';
import { record } from '../../support/countMessages.ts';
import { load, WORKSPACE } from '../../support/evalFiles.ts';
import { realLines } from '../../support/realData.ts';

const PAGE = new URL('../../../docs/reference/their-tests.md', import.meta.url);

const SUITE = 'cases:\n  - {id: theirs, transcripts: data.jsonl, assert: [{type: no-repeat}]}\n';

/** The outcome of each line in a data set: the code of its first error, or `read` if there is none. */
async function outcomesOf(lines: readonly unknown[]): Promise<string[]> {
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  const { suite } = await expandSuite(await load(SUITE, { 'data.jsonl': text }));
  assert.equal(suite?.cases.length, lines.length);
  const outcomes: string[] = [];
  for (const [index, { open }] of (suite?.cases ?? []).entries()) {
    const { suiteCase, problems } = (await open?.()) ?? { problems: [] };
    const [error] = problems.filter(isError);
    if (error) {
      assert.equal(error.path, `${WORKSPACE}/data.jsonl`, error.message);
      assert.equal(error.range.start.line, index, error.message);
    }
    assert.equal(suiteCase === undefined, error !== undefined);
    outcomes.push(error?.code ?? 'read');
  }
  return outcomes;
}

function messagesOf(value: unknown, role: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined ? [] : [{ role, content: value }];
}

/** The rows of a table, as cells without Markdown formatting. */
async function rowsUnder(heading: string): Promise<string[][]> {
  const [, part = ''] = (await readFile(PAGE, 'utf8')).split(`## ${heading}\n`);
  const lines = (part.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''))
      .slice(1, -1),
  );
}

describe("other tools' own tests", () => {
  const malformed = realLines('azure-evaluators/malformed-inputs.sample.jsonl');
  it("of Azure's evaluators: each input is read, or an error at its line; the table tells the differences", {
    skip: malformed.skip,
  }, async () => {
    const rows = malformed.lines().map(record);
    const outcomes = await outcomesOf(
      rows.map(({ input }) => {
        const { query, response, tool_definitions: tools } = record(input);
        return {
          messages: [...messagesOf(query, 'user'), ...messagesOf(response, 'assistant')],
          ...(Array.isArray(tools) && tools.length > 0 && { tools }),
        };
      }),
    );
    const differing = new Set<string>();
    for (const [index, { label, expected }] of rows.entries()) {
      const ours = outcomes[index] ?? '';
      const theirs = /invalid|missing|error/.test(String(expected)) ? 'rejects' : 'accepts';
      if ((ours === 'read') === (theirs === 'rejects'))
        differing.add(`${label}, ${theirs}, ${ours}`);
    }
    const told = (await rowsUnder("Azure's evaluators")).map((cells) =>
      cells.slice(0, 3).join(', '),
    );
    assert.deepEqual([...differing].sort(), told.sort());
    assert.equal(rows.length, 119);
  });

  const lists = realLines('azure-evaluators/message-lists.sample.jsonl');
  it("of Azure's validator: each list is read, or an error at its line", {
    skip: lists.skip,
  }, async () => {
    const values = lists.lines().map((line) => record(line).value);
    const outcomes = await outcomesOf(
      values.map((value) => (Array.isArray(value) ? { messages: value } : value)),
    );
    assert.equal(outcomes.length, 96);
    assert.equal(outcomes.filter((one) => one === 'read').length, 37);
  });

  const trajectories = realLines('agentevals/trajectory-match.sample.jsonl');
  it('of agentevals: the table names those that need a function', {
    skip: trajectories.skip,
  }, async () => {
    const left = trajectories
      .lines()
      .map(record)
      .filter(({ config }) =>
        String(record(config).tool_args_match_overrides).includes('<function'),
      )
      .map(({ test }) => `${test}, twice`);
    const told = (await rowsUnder('agentevals')).map(([test]) => test);
    assert.deepEqual([...new Set(left)], told);
    assert.equal(left.length, 2);
  });
});
