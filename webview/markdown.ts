import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';
import { visibleText } from '../src/core/text/visibleText.ts';
import { h } from './h.ts';

const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true });

// Thousands of references would each show the target that is written once.
markdown.disable('reference');

// Links show their target but can't be clicked; images show their text.
markdown.validateLink = () => true;
markdown.renderer.rules.link_open = () => '';
markdown.renderer.rules.link_close = (tokens, index) => {
  let open = index;
  while (open > 0 && tokens[open]?.type !== 'link_open') open -= 1;
  return ` (${markdown.utils.escapeHtml(String(tokens[open]?.attrGet('href') ?? ''))})`;
};
markdown.renderer.rules.image = (tokens, index) => {
  const token = tokens[index];
  const words = `${token?.content ?? ''} (${token?.attrGet('src') ?? ''})`;
  return markdown.utils.escapeHtml(words);
};

const TAGS = [
  ...['p', 'br', 'hr', 'em', 'strong', 's', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
];

/** Maximum number of elements. With more, for example in a table of thousands of cells, the page is slow. */
const MAX_ELEMENTS = 10_000;

/** Renders untrusted Markdown as plain elements, without HTML, links, or attributes. Very complex text stays text. */
export function renderMarkdown(text: string): Node {
  const environment = {};
  const tokens = markdown.parse(text, environment);
  const all = tokens.flatMap((token) => [token, ...(token.children ?? [])]);
  const elements = all.filter(({ tag, nesting }) => nesting >= 0 && TAGS.includes(tag));
  if (elements.length > MAX_ELEMENTS) return h('div', { class: 'source' }, text);
  const fragment = DOMPurify.sanitize(
    markdown.renderer.render(tokens, markdown.options, environment),
    { RETURN_DOM_FRAGMENT: true, ALLOWED_TAGS: TAGS, ALLOWED_ATTR: [] },
  );
  // This happens after rendering, because rendering converts entities such as `&#x202e;` to characters.
  const texts = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    node.nodeValue = visibleText(node.nodeValue ?? '');
  }
  return fragment;
}
