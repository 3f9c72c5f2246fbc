import { mappingOf, type Path, valueAt } from '../core/data/data.ts';
import { unreachable } from '../core/errors.ts';
import type { Range } from '../core/problem.ts';
import { addWritten, replaceValue } from '../yaml/edits.ts';
import { write, writeWord } from '../yaml/quoting.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';

/** A model chosen from a list: `provider:model`, and its address if it needs one. */
export interface ChosenModel {
  readonly id: string;
  readonly baseUrl?: string;
}

export function modelValue({ id, baseUrl }: ChosenModel): unknown {
  if (baseUrl === undefined) return id;
  const colon = id.indexOf(':');
  return { provider: id.slice(0, colon), model: id.slice(colon + 1), base_url: baseUrl };
}

export type StarterTarget =
  | { readonly kind: 'module' }
  | { readonly kind: 'command' }
  | { readonly kind: 'http' }
  | { readonly kind: 'chat'; readonly model: ChosenModel }
  | { readonly kind: 'transcript' };

export interface Starter {
  readonly name: string;
  readonly target: StarterTarget;
  readonly judge?: ChosenModel | undefined;
}

/** A file to create next to the eval file, unless it already exists. */
export interface AgentFile {
  readonly name: string;
  readonly text: string;
}

/**
 * The text of a new eval file. Its first case gets a verdict without a judge; a criterion for a judge follows,
 * commented out if there is none.
 */
export function starterText({ name, target, judge }: Starter): string {
  const criterion = 'The assistant never asks for the order number again.';
  const lines = [
    '# Click Run above the case, or run `turnlight run` in a terminal.',
    `name: ${writeWord(name)}`,
    ...(judge ? modelLines('judge', judge) : []),
    ...targetLines(target),
    '',
    'cases:',
    '  - id: keeps-the-order-number',
    '    description: Every reply uses the order number from the first message.',
    ...conversationLines(target),
    '    assert:',
    '      - type: contains # checked without a model',
    '        value: "98765"',
    '        at: each',
    judge
      ? `      - ${criterion} # plain English, for the judge`
      : `      # - ${criterion} # plain English, needs a \`judge\``,
  ];
  return `${lines.join('\n')}\n`;
}

/** A working agent, which the user replaces with the real one. */
export function starterAgent({ kind }: StarterTarget): AgentFile | undefined {
  switch (kind) {
    case 'module':
      return { name: 'agent.mjs', text: MODULE };
    case 'command':
      return { name: 'agent.py', text: PROGRAM };
    case 'http':
      return { name: 'service.mjs', text: SERVICE };
    default:
      return undefined;
  }
}

const PYTHON = process.platform === 'win32' ? 'python' : 'python3';

function targetLines(target: StarterTarget): string[] {
  if (target.kind === 'transcript') return [];
  return ['', 'targets:', '  agent:', ...targetKeys(target), 'target: agent'];
}

function targetKeys(target: Exclude<StarterTarget, { kind: 'transcript' }>): string[] {
  switch (target.kind) {
    case 'module':
      return ['    type: module', '    path: ./agent.mjs # your code'];
    case 'command':
      return ['    type: command', `    command: [${PYTHON}, ./agent.py] # your code`];
    case 'http':
      return ['    type: http', '    url: http://localhost:8787 # your service'];
    case 'chat':
      return [
        '    type: chat',
        ...modelLines('    model', target.model),
        '    system: You answer the customers of a shop. Name the order number in every reply.',
      ];
    default:
      return unreachable(target);
  }
}

function modelLines(key: string, model: ChosenModel): string[] {
  const { text, below } = write(modelValue(model));
  if (!below) return [`${key}: ${text}`];
  const margin = /^ */.exec(key)?.[0] ?? '';
  return [`${key}:`, ...text.split('\n').map((line) => `${margin}  ${line}`)];
}

function conversationLines({ kind }: StarterTarget): string[] {
  const first = "Hi, I'm Sarah. Where is my order 98765?";
  const second = 'Can you change its address?';
  if (kind !== 'transcript') return ['    turns:', `      - ${first}`, `      - ${second}`];
  return [
    '    transcript:',
    `      - user: ${first}`,
    '      - assistant: Order 98765 left our warehouse yesterday.',
    `      - user: ${second}`,
    '      - assistant: Of course. What is the new address for order 98765?',
  ];
}

const MODULE = String.raw`// The agent to test: replace its body with a call to your own agent.
// It gets the conversation so far and returns its reply.
export default async function agent(messages) {
  const said = messages.map(({ content }) => content).join(' ');
  const [order] = /\d{5}/.exec(said) ?? [];
  return order ? 'I looked up order ' + order + '. What can I do?' : 'Which order is it about?';
}
`;

const PROGRAM = String.raw`# The agent to test: replace its body with a call to your own agent.
# For each reply, it reads a line of JSON and prints one line. Log to stderr.
import json
import re
import sys

for line in sys.stdin:
    messages = json.loads(line)["messages"]
    said = " ".join(message["content"] or "" for message in messages)
    order = re.search(r"\d{5}", said)
    reply = f"I looked up order {order[0]}. What can I do?" if order else "Which order is it about?"
    print(json.dumps({"content": reply}), flush=True)
`;

const SERVICE = String.raw`// The service to test. Start it with: node service.mjs
// It gets {"messages": [...]}, the conversation so far, and answers with {"content": "..."}.
import { createServer } from 'node:http';

createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  const said = JSON.parse(body).messages.map(({ content }) => content).join(' ');
  const [order] = /\d{5}/.exec(said) ?? [];
  const content = order ? 'I looked up order ' + order + '. What can I do?' : 'Which order is it about?';
  response.end(JSON.stringify({ content }));
}).listen(8787);
`;

/**
 * Edits that replace a judge everywhere in a file, or add it if the file has none.
 *
 * @param from the id of the judge to replace, as `provider:model`
 */
export function changeJudge(
  text: string,
  path: string,
  from: string,
  to: ChosenModel,
): { readonly range: Range; readonly newText: string }[] {
  const document = parseYaml(text, path);
  const { models, judge } = mappingOf(document.value);
  const paths = judgesIn(document.value).filter(
    (at) => idOf(valueAt(document.value, at), mappingOf(models)) === from,
  );
  const value = modelValue(to);
  if (paths.length > 0) return paths.flatMap((at) => replaceValue(document, at, value));
  if (judge !== undefined) return [];
  const added = addWritten(document, [], [['judge', write(value)]]);
  return added ? [added] : [];
}

/** Keys that contain the user's own data. */
const FREE: readonly string[] = ['context', 'transcript'];

/** The paths of all judges: in the file, its defaults, cases, and assertions. */
function judgesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): Path[] => {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    if (FREE.includes(key)) return [];
    return key === 'judge' ? [at] : judgesIn(inner, at);
  });
}

function idOf(value: unknown, models: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof value === 'string') {
    return Object.hasOwn(models, value) ? idOf(models[value], {}) : value;
  }
  const { provider, model } = mappingOf(value);
  return typeof provider === 'string' && typeof model === 'string'
    ? `${provider}:${model}`
    : undefined;
}
