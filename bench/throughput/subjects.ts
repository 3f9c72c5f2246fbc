import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Command, node, TURNLIGHT } from '../processes.ts';

/** Number of conversations and requests, and how many run concurrently. */
export interface Load {
  readonly conversations: number;
  readonly turns: number;
  readonly judged: number;
  readonly concurrency: number;
}

/** How a slow subject is measured. */
export interface Slow {
  readonly rounds: number;
  /** Maximum number of conversations with which it is measured. */
  readonly conversations?: number;
}

/** A program that runs a load against an endpoint. */
export interface Subject {
  readonly name: string;
  /** Set if all rounds would take hours. */
  readonly slow?: Slow;
  /** Writes the files that the program needs into its own folder. */
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

/** The user's messages, by conversation. */
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
