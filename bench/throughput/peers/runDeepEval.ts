import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { installedPython } from '../../../test/support/installed/python.ts';
import { pythonWithDeepEval } from '../../judge-cost/deepevalRun.ts';
import { say } from '../../print.ts';
import { questionsOf, type Subject } from '../subjects.ts';
import { criteriaOf, type Found } from './peer.ts';

const PROGRAM = resolve(import.meta.dirname, 'deepeval_load.py');

/** DeepEval of the Python in TURNLIGHT_PYTHON; otherwise, of one that is installed once. */
export async function deepEval(): Promise<Found> {
  const python = process.env.TURNLIGHT_PYTHON ?? (await installed());
  if (typeof python !== 'string') return { missing: `DeepEval is not there: ${python.missing}.` };
  const found = await pythonWithDeepEval(python);
  return 'missing' in found ? found : [subject(python, `DeepEval ${found.version}`)];
}

async function installed() {
  const requirements = resolve(import.meta.dirname, 'requirements.txt');
  const bin = await installedPython('peers/deepeval', requirements, say);
  return typeof bin === 'string' ? join(bin, 'python') : bin;
}

/**
 * DeepEval doesn't run scripted conversations, so a loop with the `openai` package gets the replies, and then DeepEval
 * judges them.
 */
function subject(python: string, name: string): Subject {
  return {
    name,
    // DeepEval doesn't finish 1,000 conversations.
    slow: { rounds: 2, conversations: 100 },
    prepare: async (load, baseUrl, folder) => {
      const file = join(folder, 'load.json');
      const { concurrency } = load;
      const conversations = questionsOf(load);
      const criteria = criteriaOf(load);
      await writeFile(file, JSON.stringify({ baseUrl, concurrency, conversations, criteria }));
      return {
        program: python,
        args: [PROGRAM, file],
        folder,
        env: {
          HOME: folder,
          DEEPEVAL_TELEMETRY_OPT_OUT: 'YES',
          // Otherwise, DeepEval limits the whole evaluation to about 200 s.
          DEEPEVAL_DISABLE_TIMEOUTS: 'YES',
          OPENAI_API_KEY: 'local',
        },
      };
    },
  };
}
