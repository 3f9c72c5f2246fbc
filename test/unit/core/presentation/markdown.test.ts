import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import MarkdownIt from 'markdown-it';
import { escapeLine, escapeMarkdown } from '../../../../src/core/presentation/markdown.ts';

/** As an editor that allows all would show it: what is left as text here is text anywhere. */
const rendered = (markdown: string) =>
  new MarkdownIt({ html: true, linkify: true }).render(markdown);

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(1)</script>',
  '<!-- hidden',
  '[click](command:workbench.action.quit)',
  '[click](javascript:alert(1))',
  '![seen](http://example.com/seen.png)',
  '[a]: http://example.com',
  'http://example.com www.example.com me@example.com',
  '```\n<b>\n```',
  '~~~\nfenced',
  '# heading',
  'heading\n===',
  'heading\n---',
  '- item\n+ item\n* item',
  '1. item\n1) item',
  '> quote',
  '| a | b |\n|---|---|\n| c | d |',
  '*a* _b_ ~~c~~ `d`',
  '    <b>indented',
  '\t<b>indented',
  'a\n\n    http://example.com',
  'broken\\\nline',
];

describe('foreign text in a hover', () => {
  for (const text of HOSTILE) {
    it(`is only text: ${JSON.stringify(text)}`, () => {
      for (const html of [rendered(escapeMarkdown(text)), rendered(escapeLine(text))]) {
        assert.equal(html.replace(/<\/?p>|<br>/g, '').includes('<'), false, html);
        assert.ok(!html.includes('&amp;#'), html);
      }
    });
  }

  it('shows every character as it was', () => {
    const html = rendered(escapeMarkdown('a < b && [c] *d* #1 "e"'));
    assert.equal(html, '<p>a &lt; b &amp;&amp; [c] *d* #1 &quot;e&quot;</p>\n');
  });

  it('cannot turn the direction of what is read', () => {
    assert.equal(escapeMarkdown('a\u202eb'), 'a&#91;U&#43;202E&#93;b');
  });

  it('is cut where one line is wanted', () => {
    assert.equal(escapeLine('a\n\tb   c', 4), 'a b…');
  });
});
