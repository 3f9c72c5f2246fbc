import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { node } from '../../processes.ts';
import { PROMPTFOO, promptfooEnv } from '../../promptfoo.ts';
import { type Load, questionsOf, type Slow, type Subject } from '../subjects.ts';
import { criteriaOf, type Found, fromNpm } from './peer.ts';

/**
 * promptfoo in two ways: with its own conversation variable, which makes it send one request at a time, and with our
 * provider.
 */
export function promptfoo(): Promise<Found> {
  return fromNpm('promptfoo', PROMPTFOO, (script) => [
    subject(script, `promptfoo ${PROMPTFOO}`, withConversation, { rounds: 2, conversations: 100 }),
    subject(script, `promptfoo ${PROMPTFOO}, own provider`, withProvider, { rounds: 3 }),
  ]);
}

type Config = (load: Load, model: object) => object;

function subject(script: string, name: string, config: Config, slow: Slow): Subject {
  return {
    name,
    slow,
    prepare: async (load, baseUrl, folder) => {
      const model = { id: 'openai:chat:bench', config: { apiBaseUrl: baseUrl } };
      const written = {
        description: 'Bench',
        defaultTest: { options: { provider: model } },
        ...config(load, model),
      };
      await writeFile(join(folder, 'promptfooconfig.json'), JSON.stringify(written));
      const args = ['eval', '-c', 'promptfooconfig.json', '-j', String(load.concurrency)];
      return {
        // With its cache, promptfoo waits 100 ms for each answer that it writes.
        ...node([script, ...args, '--no-progress-bar', '--no-cache'], folder),
        env: {
          ...promptfooEnv(folder),
          OPENAI_API_KEY: 'local',
          BENCH_URL: baseUrl,
        },
      };
    },
  };
}

const SAID = `{% for turn in _conversation %}
user: {{ turn.input }}
assistant: {{ turn.output }}{% endfor %}`;

const MESSAGES = `[{% for turn in _conversation %}{"role": "user", "content": {{ turn.input | dump }}}, {"role": "assistant", "content": {{ turn.output | dump }}}, {% endfor %}{"role": "user", "content": {{ question | dump }}}]`;

/** A test for each turn. The `_conversation` variable contains the previous turns, also for the judges. */
function withConversation(load: Load, model: object): object {
  const judges = criteriaOf(load).map(({ text }) => ({
    type: 'llm-rubric',
    value: `${text}\n${SAID}`,
  }));
  return {
    prompts: [MESSAGES],
    providers: [model],
    tests: questionsOf(load).flatMap((questions, index) =>
      questions.map((question, turn) => ({
        vars: { question },
        metadata: { conversationId: `order-${index + 1}` },
        ...(turn === questions.length - 1 && { assert: judges }),
      })),
    ),
  };
}

/** A test for each conversation, which our provider conducts. */
function withProvider(load: Load): object {
  return {
    prompts: ['{{ questions | dump }}'],
    providers: [`file://${resolve(import.meta.dirname, 'promptfooProvider.mjs')}`],
    tests: questionsOf(load).map((questions) => ({
      // promptfoo would expand a list into one test per entry.
      vars: { questions: { all: questions } },
      assert: criteriaOf(load).map(({ text }) => ({ type: 'llm-rubric', value: text })),
    })),
  };
}
