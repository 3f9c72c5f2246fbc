import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parse, stringify } from 'yaml';
import { isMapping } from '../../src/core/data/data.ts';
import { loadSuite } from '../../src/evalfile/load.ts';
import type { LoadedSuite } from '../../src/evalfile/loadedSuite.ts';
import { nodeFiles } from '../../src/evalfile/nodeFiles.ts';
import { workspaceWith } from './runs.ts';

/** A fenced code block on a page. */
interface Example {
  readonly language: string;
  readonly text: string;
  /** The file named by a comment in the first line: `# judges/tone.md`. */
  readonly file: string | undefined;
}

const FENCE = /^```(\w+)\n([\s\S]+?)\n```$/gm;

function examplesIn(markdown: string): Example[] {
  return [...markdown.matchAll(FENCE)].map(([, language = '', text = '']) => ({
    language,
    text,
    file: /^(?:---\n)?(?:#|\/\/) (\S+\.\w+)\n/.exec(text)?.[1],
  }));
}

/** The first YAML example in Markdown. */
export function exampleOf(markdown: string): unknown {
  return parse(examplesIn(markdown).find(({ language }) => language === 'yaml')?.text ?? '');
}

const TALK = '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]';

/** Files that examples refer to, but that aren't examples themselves. */
const OTHERS = {
  'agent.mjs': 'export default () => "Hello";',
  'checks/order-number.mjs': 'export default () => true;',
  'checks/order_number.py': 'print("true")',
  'checks/order-number.ts': 'export default () => true;',
  'images/shoe.webp': 'RIFF0000WEBP',
  'recording.jsonl': '',
  'calls.jsonl': `{"messages": ${TALK}, "context": {"order": "98765"}}\n`,
  'recorded/talk.json': TALK.replaceAll('"user"', '"usr"').replaceAll('"assistant"', '"sys"'),
  'judges/context-retention.md': '{{conversation}}',
  'judges/relevancy.md': '{{conversation}}',
  'sessions.jsonl': '{"messages": [{"user": "Hi"}, {"assistant": "Hello"}]}',
};

/**
 * A page's examples as files: those that name their file, and all eval files. A fragment is put into a complete eval
 * file. Examples that start with `# In promptfoo` belong to another tool and are left out.
 */
export function exampleFiles(markdown: string): Readonly<Record<string, string>> {
  const files: Record<string, string> = { ...OTHERS };
  for (const [index, { language, text, file }] of examplesIn(markdown).entries()) {
    const value: unknown = language === 'yaml' ? parse(text) : undefined;
    const isWhole = isMapping(value) && 'cases' in value;
    if (file !== undefined) files[file] = text;
    else if (isWhole) files[`example-${index}.eval.yaml`] = text;
    else if (value !== undefined && !text.startsWith('# In ')) {
      files[`example-${index}.eval.yaml`] = stringify(framed(value));
    }
  }
  return files;
}

const CONVERSATION = [{ user: 'Hi' }, { assistant: 'Hello' }];

/** Puts a fragment into an eval file: assertions, messages, cases, or top-level keys. */
function framed(fragment: unknown): object {
  const judge = 'openai:gpt-5-mini';
  const one = { id: 'a', transcript: CONVERSATION };
  const assert = [{ type: 'contains', value: 'Hello' }];
  if (!Array.isArray(fragment)) {
    const { assert: own = assert, ...top } = Object(fragment);
    return { judge, ...top, cases: [{ ...one, assert: own }] };
  }
  const [first]: unknown[] = fragment;
  if (isMapping(first) && 'id' in first) return { judge, cases: fragment };
  const isMessage = isMapping(first) && ['role', 'user', 'system'].some((key) => key in first);
  if (isMessage) return { cases: [{ ...one, transcript: fragment, assert }] };
  return { judge, cases: [{ ...one, assert: fragment }] };
}

/** Loads each eval file among a page's examples. */
export async function loadExamples(t: TestContext, markdown: string): Promise<LoadedSuite[]> {
  const files = exampleFiles(markdown);
  const workspace = await workspaceWith(t, files);
  const options = {
    workspace,
    env: (name: string) => (name.endsWith('_URL') ? 'https://example.com' : name),
  };
  const evalFiles = Object.keys(files).filter((file) => file.endsWith('.eval.yaml'));
  return Promise.all(
    evalFiles.map((file) => loadSuite(join(workspace, file), nodeFiles(), options)),
  );
}
