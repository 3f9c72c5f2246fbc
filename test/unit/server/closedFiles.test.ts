import assert from 'node:assert/strict';
import { it } from 'node:test';
import { memoryFiles, WORKSPACE } from '../../support/evalFiles.ts';
import { serviceOver } from '../../support/language/languageService.ts';

const at = (name: string) => `${WORKSPACE}/${name}.eval.yaml`;

/** Which of two files that are not open is kept once the other one was read as well. */
async function kept(length: number): Promise<readonly boolean[]> {
  const text = `# ${'x'.repeat(length)}\ncases: []\n`;
  const { workspace } = serviceOver(memoryFiles({ [at('a')]: text, [at('b')]: text }));
  const read = () => Promise.all([workspace.documentAt(at('a')), workspace.documentAt(at('b'))]);
  const [a, b] = await read();
  const againB = await workspace.documentAt(at('b'));
  const againA = await workspace.documentAt(at('a'));
  return [againA === a, againB === b];
}

it('files that are not open are kept, long ones only until the next is read', async () => {
  assert.deepEqual(await kept(100), [true, true]);
  assert.deepEqual(await kept(900_000), [false, true]);
});
