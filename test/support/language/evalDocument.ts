import { loadDocument } from '../../../src/evalfile/load.ts';
import type { EvalDocument } from '../../../src/language/ports.ts';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';
import { filesIn, SUITE, WORKSPACE } from '../evalFiles.ts';

/** A loaded document, as language features get it. `beside` contains other files by their path in the workspace. */
export async function documentOf(
  text: string,
  beside: Readonly<Record<string, string>> = {},
): Promise<EvalDocument> {
  const yaml = parseYaml(text, SUITE);
  const suite = await loadDocument(yaml, filesIn({ 'suite.eval.yaml': text, ...beside }), {
    workspace: WORKSPACE,
    env: () => undefined,
    defaultJudge: 'openai:test',
  });
  return { yaml, suite };
}

/** Texts that must not break any feature: incomplete, hostile, in other scripts, or not YAML. */
export const HARD_TEXTS: readonly string[] = [
  '',
  '\n',
  '\uFEFFcases:\r\n  - id: a\r\n',
  'cases',
  'cases:\n',
  'cases: [\n',
  'cases:\n  -\n  - id:\n  - id: a\n    turns:\n      -\n',
  'cases:\n\t- id: a\n',
  '- - - a\n',
  '{ cases: [ { id: a, turns: [ "x',
  'cases: &a\n  - *a\n',
  'x: &x {id: a}\ncases:\n  - *x\n  - *nobody\n',
  '? [a, b]\n: c\n',
  '---\na: 1\n---\nb: 2\n',
  'cases:\n  - id: 😀\n    turns:\n      - "שלום {{name}} 😀"\n      - |\n        مرحبا {{ name }}\n',
  'cases:\n  - {id: a, transcript: [{user: Hi}, {assistant: }], assert: [{type: }]}\n',
  'id: "a\n  b',
  '# a\r# b\rcases:\n  - id: "a\rb"\r\n    turns: [Hi\r, {user: x}]\n',
  'a: |\n',
  'a: |2-\n    x\n\n\n',
  '\0\u2028\u202E',
  'cases:\n  - id: a\n    turns: 5\n    transcript: {user: Hi}\n    assert: x\n',
];
