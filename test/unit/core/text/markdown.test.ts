import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import MarkdownIt from 'markdown-it';
import { escapeLine, escapeMarkdown } from '../../../../src/core/text/markdown.ts';

/** Renders Markdown like a viewer that allows everything, so what stays text here stays text anywhere. */
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
  '//example.com/a (https://example.com/b) HTTPS://EXAMPLE.COM a.b+c@example.com,www.example.com',
  'heading\n:-',
  'heading\n  =',
  '  - item\n  2) item\n  > quote',
  '- - -\n-\n+\n1.',
  '__a__ a__b__ _a_b_ *a*b*',
  '\\<b> \\*a* \\[a](b)',
  '&lt;b> &copy;',
  '</b <b <?php <a@b.c>',
];

describe('escaped text in a hover', () => {
  for (const text of HOSTILE) {
    it(`is plain text: ${JSON.stringify(text)}`, () => {
      for (const html of [rendered(escapeMarkdown(text)), rendered(escapeLine(text))]) {
        assert.equal(html.replace(/<\/?p>|<br>/g, '').includes('<'), false, html);
        assert.ok(!html.includes('&amp;#'), html);
      }
    });
  }

  it('shows every character unchanged', () => {
    const html = rendered(escapeMarkdown('a < b && [c] *d* #1 "e"'));
    assert.equal(html, '<p>a &lt; b &amp;&amp; [c] *d* #1 &quot;e&quot;</p>\n');
  });

  it('stays readable if it has no active syntax', () => {
    for (const text of [
      '✗ failed 0.93, -0.10 (0.2-0.4): max_length > 3 & a < 5!',
      'evals/a.eval.yaml:12: {"total": 12.50, "paid": "$5 + $6"} at 10:30:00 = C:\\Users',
    ]) {
      assert.equal(escapeLine(text), text);
      assert.equal(escapeMarkdown(text), text);
      assert.equal(
        new MarkdownIt().renderInline(text).replace(/&(?:lt|gt|amp|quot);/g, ''),
        text.replace(/[<>&"]/g, ''),
      );
    }
  });

  it('becomes no list, mention, formula, or emoji on GitHub', () => {
    const escapedOf = (text: string) => [escapeLine(text), escapeMarkdown(text)];
    for (const [text, shown] of [
      ['12. a', '12&#46; a'],
      ['- a', '&#45; a'],
      ['see @someone', 'see &#64;someone'],
      ['#12', '&#35;12'],
      ['$a$ :smile:', '&#36;a&#36; &#58;smile:'],
    ] as const) {
      assert.deepEqual(escapedOf(text), [shown, shown]);
    }
  });

  it("can't change the direction of other text", () => {
    assert.equal(escapeMarkdown('a\u202eb'), 'a&#91;U+202E&#93;b');
  });

  it('is cut if it must fit in one line', () => {
    assert.equal(escapeLine('a\n\tb   c', 4), 'a b…');
  });
});
