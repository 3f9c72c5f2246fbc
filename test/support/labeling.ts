import { execFileSync } from 'node:child_process';
import { mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CaseLine } from '../../src/core/record/runRecord.ts';
import { writeRun } from './comparing.ts';

/** A case in YAML. */
const caseText = (id: string) => `  - id: ${id}
    transcript: [{ user: Hi }, { assistant: Hello }]
    assert: [{ type: criterion, criterion: It is kind., name: Kind }]
`;

/** A repository with one person's git identity and `suite.eval.yaml`, whose cases have already been judged. */
export async function labeledFolder(
  lines: readonly CaseLine[],
  person = 'ann@example.com',
): Promise<{ readonly folder: string; readonly suite: string }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-labels-')));
  const suite = join(folder, 'suite.eval.yaml');
  const ids = [...new Set(lines.map(({ id }) => id))];
  await writeFile(suite, `name: Kindness\ncases:\n${ids.map(caseText).join('')}`);
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '-q');
  git('config', 'user.email', person);
  await writeRun(folder, { lines });
  return { folder, suite };
}
