import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { workspaceSymbols } from '../../../../src/language/features/workspaceSymbols.ts';
import { load, SUITE, suiteWith, TRANSCRIPT, WORKSPACE } from '../../../support/evalFiles.ts';

const uriOf = (path: string) => `file://${path}`;

const cases = (...lines: string[]) =>
  `name: Shop\ncases:\n${lines.map((line) => `  - ${line}\n`).join('')}`;

async function found(query: string, text: string): Promise<string[]> {
  return (await workspaceSymbols(query, [await load(text)], uriOf)).map(({ name }) => name);
}

describe('workspaceSymbols', () => {
  const text = cases(
    '{id: late-refund}',
    '{id: order}',
    '{id: refund}',
    '{id: three, description: Ends in a refund.}',
    '{description: No id yet}',
  );

  it('finds cases by their ids, the nearest first, then by their descriptions', async () => {
    assert.deepEqual(await found('refund', text), ['refund', 'late-refund', 'three']);
  });

  it('finds letters with others between them, in any case', async () => {
    assert.deepEqual(await found('RfNd', text), ['late-refund', 'refund', 'three']);
    assert.deepEqual(await found('late ref', text), ['late-refund']);
  });

  it('finds every case without a query, also one without an id', async () => {
    assert.deepEqual(await found('', text), [
      'late-refund',
      'order',
      'refund',
      'three',
      'No id yet',
    ]);
  });

  it('says where a case stands, once for a case of an included file', async () => {
    const files = { 'more.yaml': 'cases:\n  - {id: more, skip: true}\n' };
    const including = suiteWith(TRANSCRIPT, 'name: Shop\ninclude: [more.yaml]\n');
    const suites = [await load(including, files), await load(including, files)];
    assert.deepEqual(
      (await workspaceSymbols('', suites, uriOf)).map(({ name, location }) => [name, location.uri]),
      [
        ['one', uriOf(SUITE)],
        ['more', uriOf(`${WORKSPACE}/more.yaml`)],
      ],
    );
    const [one] = await workspaceSymbols('one', suites, uriOf);
    assert.deepEqual(one && 'range' in one.location && one.location.range.start, {
      line: 3,
      character: 8,
    });
  });
});
