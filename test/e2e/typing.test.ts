import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Workbench } from '../support/host/workbench.ts';

/** The bar marks where text is typed. */
const HEAD = `name: Support
|
models:
  strict-judge: openai:gpt-5-mini
targets:
  shop-agent: {type: module, path: ./agent.mjs}
tools: [{name: find_order}]
`;

const FILE = `${HEAD.replace('|\n', '')}
cases:
  - id: first
|1
    transcript:
      - user: Where is my order?
      - assistant: It has left our warehouse.
|2
    assert:
      - type: contains
        value: warehouse
|3
      - type: tool-called
        name: find_order
|4

  - id: second
    turns: [Hi]
    assert: [Says hello.]
`;

interface Place {
  readonly name: string;
  /** The file's text before and after the cursor. */
  readonly file: readonly [string, string];
  readonly typed: string;
  readonly offered: string;
}

/** @param bar number of the bar in `FILE` that marks the line @param typed text to type after the indentation */
function at(bar: 1 | 2 | 3 | 4, indent: number, typed: string, offered: string): Place {
  const [above = '', below = ''] = FILE.replace(`|${bar}`, '|')
    .replaceAll(/\|\d\n/g, '')
    .split('|');
  return { name: typed.trim(), file: [above + ' '.repeat(indent), below], typed, offered };
}

function top(typed: string, offered: string): Place {
  const [above = '', below = ''] = HEAD.split('|');
  return { name: `${typed} at the top`, file: [above, below], typed, offered };
}

const PLACES: readonly Place[] = [
  top('c', 'cases'),
  top('cas', 'cases'),
  top('judge: op', 'openai:'),
  top('judge: st', 'strict-judge'),
  at(1, 4, 'c', 'context'),
  at(1, 4, 'thr', 'threshold'),
  at(1, 4, 'des', 'description'),
  at(1, 4, 'judge: str', 'strict-judge'),
  at(1, 4, 'judge: "str', 'strict-judge'),
  at(1, 4, 'target: sh', 'shop-agent'),
  at(2, 6, '- as', 'assistant'),
  at(2, 6, '- us', 'user'),
  at(2, 6, '- {us', 'user'),
  at(3, 8, 'thr', 'threshold'),
  at(3, 8, 'w', 'weight'),
  at(3, 8, 'required: tr', 'true'),
  at(3, 8, 'at: ea', 'each'),
  at(3, 6, '- type: conv', 'conversation-completeness'),
  at(3, 6, '- type: "conv', 'conversation-completeness'),
  at(3, 6, '- ty', 'type'),
  at(3, 6, '- conv', 'conversation-completeness'),
  at(3, 6, '- {type: conv', 'conversation-completeness'),
  at(3, 6, '- {thr', 'threshold'),
  at(4, 6, '- {type: tool-called, name: fi', 'find_order'),
];

const PROSE: readonly Place[] = [
  at(1, 4, 'description: A case cont', ''),
  at(2, 6, '- user: case cont', ''),
  at(2, 6, '- user: "case cont', ''),
  at(3, 6, '- The case cont', ''),
  at(3, 6, '# a case cont', ''),
];

describe('typing in the real VS Code', { timeout: 900_000 }, () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-typing-')));
    suite = join(folder, 'suite.eval.yaml');
    await writeFile(join(folder, 'agent.mjs'), 'export default () => "Hello";\n');
    await writeFile(suite, FILE.replaceAll(/\|\d\n/g, ''));
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.open(suite);
    await workbench.window.served(suite);
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function type({ file: [above, below], typed }: Place) {
    await workbench.window.write(suite, above + below, above.length);
    await workbench.page.locator('.editor-instance .monaco-editor.focused').waitFor();
    await workbench.page.keyboard.type(typed, { delay: 30 });
  }

  const widget = () => workbench.page.locator('.suggest-widget.visible');

  for (const place of PLACES) {
    it(`offers ${place.offered} for ${place.name}`, async () => {
      await type(place);
      await workbench.until(
        place.offered,
        () => widget().locator('.monaco-list-row .label-name').allTextContents(),
        (labels) => labels.includes(place.offered),
      );
    });
  }

  for (const place of PROSE) {
    it(`offers nothing for ${place.name}`, async () => {
      await type(place);
      await workbench.window.command('editor.action.triggerSuggest');
      await widget().getByText('No suggestions.').waitFor();
    });
  }
});
