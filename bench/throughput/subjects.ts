import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Command, node, TURNLIGHT } from '../processes.ts';

/** How much is asked, and how much at once. */
export interface Load {
  readonly conversations: number;
  readonly turns: number;
  readonly judged: number;
  readonly concurrency: number;
}

/** What is measured of a slow subject. */
export interface Slow {
  readonly rounds: number;
  /** Maximum number of conversations at which it is measured. */
  readonly conversations?: number;
}

/** A program that runs a load against an endpoint. */
export interface Subject {
  readonly name: string;
  /** Of who takes so long that all rounds would take hours. */
  readonly slow?: Slow;
  /** Writes what it needs into a folder of its own. */
  prepare(load: Load, baseUrl: string, folder: string): Promise<Command>;
}

export const bareLoop: Subject = {
  name: 'bare fetch loop',
  prepare: async ({ conversations, turns, judged, concurrency }, baseUrl, folder) => {
    const program = resolve(import.meta.dirname, 'bareLoop.mjs');
    const numbers = [conversations, turns, judged, concurrency].map(String);
    return node([program, baseUrl, ...numbers], folder);
  },
};

/** What the user says, by conversation. */
export function questionsOf({ conversations, turns }: Load): string[][] {
  return Array.from({ length: conversations }, (_, number) =>
    Array.from(
      { length: turns },
      (_one, turn) => `Order ${number + 1}, question ${turn + 1}: where is it?`,
    ),
  );
}

const JUDGED = ['conversation-completeness', 'turn-relevancy'];

export const turnlight: Subject = {
  name: 'Turnlight',
  prepare: async (load, baseUrl, folder) => {
    await writeFile(join(folder, 'bench.eval.yaml'), evalFile(load, baseUrl));
    const args = [TURNLIGHT, 'run', '--concurrency', String(load.concurrency)];
    return { ...node(args, folder), env: { OPENAI_API_KEY: 'local' } };
  },
};

function evalFile(load: Load, baseUrl: string): string {
  const cases = questionsOf(load).map((questions, index) =>
    [
      `  - id: order-${index + 1}`,
      '    turns:',
      ...questions.map((text) => `      - "${text}"`),
    ].join('\n'),
  );
  return `name: Bench
models:
  model: {provider: openai, model: bench, base_url: ${baseUrl}}
targets:
  agent: {type: chat, model: model}
target: agent
judge: model
defaults:
  assert:
${JUDGED.slice(0, load.judged)
  .map((type) => `    - type: ${type}`)
  .join('\n')}
cases:
${cases.join('\n')}
`;
}
