import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { siteFiles } from '../../../scripts/docs/site.ts';
import { docsPageAt, problemPages } from '../../../src/language/docsPages.ts';
import { hover } from '../../../src/language/hover/hover.ts';
import { documentOf } from '../../support/language/evalDocument.ts';

const TEXT = `models:
  strict: {provider: ollama, model: qwen3, temperatur: 0}
judge: openai:gpt-5-mini
targets:
  bot: {type: http, url: http://localhost, rply: /a}
target: bot
cases:
  - id: a
    matrixx: {}
    turns:
      - user: Hi
        assert: [{type: contains, value: Hello, at: 9}]
    assert:
      - It greets.
      - {type: safty}
      - {type: coherence, thresold: 1}
`;

/** Places of the file, each with its page. */
const PLACES = {
  strict: 'reference/models.md#ollama',
  'openai:gpt': 'reference/models.md#openai',
  'url:': 'reference/targets.md#http',
  'target: bot': 'reference/targets.md',
  'id:': 'reference/eval-file.md#case',
  'It greets': 'assertions/criterion.md',
  'value: Hello': 'assertions/contains.md',
  safty: 'reference/assertions.md',
  'models:': 'reference/models.md',
};

const html = siteFiles();

function isPage(page: string): boolean {
  const [path = '', heading] = page.split('#');
  const text = html.get(`docs/${path.replace(/\.md$/, '.html')}`);
  return text !== undefined && (!heading || String(text).includes(` id="${heading}"`));
}

describe('the page of the documentation', () => {
  for (const [place, page] of Object.entries(PLACES)) {
    it(`about \`${place}\` is ${page}, which exists`, async () => {
      const { yaml } = await documentOf(TEXT);
      const position = yaml.positionAt(TEXT.indexOf(place) + 1);
      assert.equal(docsPageAt(yaml.value, yaml.pathAt(position).path), page);
      assert.ok(isPage(page));
    });
  }

  it('about a problem is the page about its place', async () => {
    const document = await documentOf(TEXT);
    const { problems } = document.suite;
    const pageOf = await problemPages(problems, async () => document);
    const pages = problems.map((one) => [one.code, pageOf(one)]);
    for (const expected of [
      ['unknown-key', 'reference/models.md#ollama'],
      ['unknown-key', 'reference/targets.md#http'],
      ['unknown-key', 'assertions/coherence.md'],
      ['unknown-key', 'reference/eval-file.md#case'],
    ]) {
      assert.ok(
        pages.some((one) => String(one) === String(expected)),
        `${pages.join('; ')}`,
      );
    }
    const elsewhere = { ...problems[0], path: '/judge.md' } as (typeof problems)[number];
    assert.equal(pageOf(elsewhere), 'reference/prompts.md');
    assert.equal(pageOf({ ...elsewhere, code: 'no-judge' }), 'reference/models.md');
    assert.equal(pageOf({ ...elsewhere, code: 'file-too-large' }), 'reference/limits.md');
  });

  it('is linked in the hover of a key', async () => {
    const document = await documentOf(TEXT);
    const position = document.yaml.positionAt(TEXT.indexOf('url:') + 1);
    const shown = await hover(document, position, {
      lastRuns: async () => [],
      docsLink: (page) => `command:open?${page}`,
    });
    assert.match(
      JSON.stringify(shown),
      /\[Documentation\]\(command:open\?reference\/targets\.md#http\)"/,
    );
  });
});
