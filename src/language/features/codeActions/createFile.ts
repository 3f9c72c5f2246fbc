import { basename, extname } from 'node:path';
import type { CodeAction, Diagnostic } from 'vscode-languageserver-types';
import type { NewFileKind } from '../../../core/problem.ts';
import { unreachable } from '../../../core/unreachable.ts';
import { type CodeActionPorts, dataOf, quickFix, withNewFile } from './actions.ts';

/** Creates the file that a reference names, with a text to begin from that is valid. */
export function createFile(
  diagnostic: Diagnostic,
  { uriOf }: Pick<CodeActionPorts, 'uriOf'>,
): CodeAction[] {
  const create = dataOf(diagnostic)?.fix?.create;
  if (!create) return [];
  const { path, kind } = create;
  const created = { uri: uriOf(path), text: textOf(kind, path) };
  return [quickFix(`Create "${basename(path)}"`, diagnostic, withNewFile(created))];
}

const PROMPT = `---
description: What the judge looks at.
---

Does each reply in the conversation answer what the user asked?

{{conversation}}
`;

const SCRIPT = `export default ({ conversation }) =>
  conversation.turns.every(({ side, text }) => side !== 'assistant' || text !== '');
`;

const TYPED_SCRIPT = `import type { Script } from 'turnlight';

const check: Script = ({ conversation }) =>
  conversation.turns.every(({ side, text }) => side !== 'assistant' || text !== '');

export default check;
`;

const CASES = `cases:
  - id: first
    transcript:
      - user: Hello
      - assistant: Hello, how can I help you?
    assert:
      - The assistant greets the user.
`;

function textOf(kind: NewFileKind, path: string): string {
  switch (kind) {
    case 'prompt':
      return PROMPT;
    case 'script':
      return extname(path) === '.ts' ? TYPED_SCRIPT : SCRIPT;
    case 'cases':
      return CASES;
    case 'transcript':
      return transcript(extname(path));
    default:
      return unreachable(kind);
  }
}

function transcript(extension: string): string {
  const messages = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hello, how can I help you?' },
  ];
  if (extension === '.json') return `${JSON.stringify(messages, undefined, 2)}\n`;
  if (extension === '.jsonl') return messages.map((one) => `${JSON.stringify(one)}\n`).join('');
  return messages.map(({ role, content }) => `- ${role}: ${content}\n`).join('');
}
