import { extname } from 'node:path';
import type { NewFileKind } from '../../core/problem.ts';
import { unreachable } from '../../core/unreachable.ts';

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

const MODULE = `export default async (messages, { context, signal }) =>
  \`You said: \${messages.at(-1).content}\`;
`;

const TYPED_MODULE = `interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

export default async (messages: readonly ChatMessage[]): Promise<string> =>
  \`You said: \${messages.at(-1)?.content}\`;
`;

const CASES = `cases:
  - id: first
    transcript:
      - user: Hello
      - assistant: Hello, how can I help you?
    assert:
      - The assistant greets the user.
`;

/** A text to begin from that is valid. */
export function newFileText(kind: NewFileKind, path: string): string {
  switch (kind) {
    case 'prompt':
      return PROMPT;
    case 'script':
      return extname(path) === '.ts' ? TYPED_SCRIPT : SCRIPT;
    case 'module':
      return extname(path) === '.ts' ? TYPED_MODULE : MODULE;
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
