import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { assertionTypes } from '../../src/assertions/registry.ts';
import { load } from '../support/evalFiles.ts';

interface Snippet {
  readonly prefix: string | readonly string[];
  readonly description: string;
  readonly body: readonly string[];
}

const snippets: Readonly<Record<string, Snippet>> = JSON.parse(
  readFileSync('snippets/conversation-eval.json', 'utf8'),
);

const BESIDE = {
  'agent.mjs': '',
  'checks/check.ts': '',
  'transcripts/one.json': '[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]',
};

/** The text of a snippet with its default values, once for each option of its first choice. */
function inserted({ body }: Snippet): string[] {
  const text = body.join('\n');
  const [, list = ''] = /\$\{\d\|([^|]+)\|\}/.exec(text) ?? [];
  return list.split(',').map((choice) =>
    text
      .replace(/\$\{\d\|[^|]+\|\}/, choice)
      .replace(/\$\{\d\|([^,|]+)[^|]*\|\}/g, '$1')
      .replace(/\$\{\d:([^}]*)\}/g, '$1'),
  );
}

const indented = (text: string, blanks: number) => text.replace(/^(?=.)/gm, ' '.repeat(blanks));

/** Inserts a snippet's text into a file where it belongs. */
function fileWith(text: string): string {
  const plain = 'judge: openai:test\nrole: A clerk\ntopics: [orders]\n';
  const tools =
    'tools:\n  - {name: lookup_order, server: shop}\n  - {name: refund_order, server: shop}\n';
  const top = plain + tools;
  const transcript =
    '    transcript:\n      - user: Hi\n      - {assistant: Hello, retrieval_context: [x]}\n';
  if (text.startsWith('name:')) return text;
  if (text.startsWith('- id:')) {
    const target = 'target: {type: module, path: ./agent.mjs}\n';
    return `${top}${target}cases:\n${indented(text, 2)}\n`;
  }
  if (text.startsWith('- type:')) {
    return `${top}cases:\n  - id: one\n${transcript}    expectations: x\n    assert:\n${indented(text, 6)}\n`;
  }
  const name = text.slice(0, text.indexOf(':'));
  const use = `target: ${name}\ncases:\n  - id: one\n    turns: [Hi]\n    assert: [x]\n`;
  // A target with tools must be able to answer them.
  return `${plain}targets:\n${indented(text, 2)}\n${use}`;
}

describe('the snippets', () => {
  for (const [name, snippet] of Object.entries(snippets)) {
    it(`insert what has no error: ${name}`, async () => {
      for (const text of inserted(snippet)) {
        const { problems } = await load(fileWith(text), BESIDE);
        const errors = problems.filter(({ severity }) => severity === 'error');
        assert.deepEqual(
          errors.map(({ message }) => message),
          [],
          fileWith(text),
        );
      }
    });
  }

  it('have one for each type of assertion', () => {
    const known = Object.values(snippets).flatMap((snippet) =>
      inserted(snippet).flatMap((text) => /^- type: (\S+)/.exec(text)?.[1] ?? []),
    );
    assert.deepEqual([...new Set(known)].sort(), assertionTypes.map(({ type }) => type).sort());
  });

  it('have prefixes of their own', () => {
    const all = Object.values(snippets).flatMap(({ prefix }) => prefix);
    assert.equal(new Set(all).size, all.length);
  });
});
