import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { node } from '../../processes.ts';
import { questionsOf, type Subject } from '../subjects.ts';
import { criteriaOf, type Found, fromNpm } from './peer.ts';

const VERSION = '4.42.4';

/** agentv's maximum. */
const MOST_WORKERS = 50;

export function agentv(): Promise<Found> {
  return fromNpm('agentv', VERSION, (script) => [subject(script)]);
}

/** Cases in `mode: conversation`: live turns, then graders for the whole conversation. */
function subject(script: string): Subject {
  return {
    name: `agentv ${VERSION}`,
    prepare: async (load, baseUrl, folder) => {
      const target = {
        name: 'agent',
        provider: 'openai',
        base_url: baseUrl,
        api_key: `\${{ OPENAI_API_KEY }}`,
        model: `\${{ BENCH_MODEL }}`,
        grader_target: 'agent',
      };
      const suite = {
        description: 'Bench',
        execution: { target: 'agent' },
        assertions: criteriaOf(load).map(({ name, text }) => ({
          name,
          type: 'llm-grader',
          prompt: text,
        })),
        tests: questionsOf(load).map((questions, index) => ({
          id: `order-${index + 1}`,
          criteria: 'The assistant answers.',
          mode: 'conversation',
          // agentv rejects a case without `input`.
          input: [{ role: 'system', content: 'You answer customers.' }],
          turns: questions.map((input) => ({ input })),
        })),
      };
      await mkdir(join(folder, '.agentv'));
      // JSON is valid YAML.
      await writeFile(join(folder, '.agentv/targets.yaml'), JSON.stringify({ targets: [target] }));
      await writeFile(join(folder, 'bench.eval.yaml'), JSON.stringify(suite));
      const workers = String(Math.min(load.concurrency, MOST_WORKERS));
      return {
        ...node([script, 'eval', 'run', 'bench.eval.yaml', '--workers', workers], folder),
        env: { HOME: folder, OPENAI_API_KEY: 'local', BENCH_MODEL: 'bench' },
      };
    },
  };
}
