import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';
import { visibleText } from '../src/core/text/visibleText.ts';

const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true });

// A link shows where it would lead and leads nowhere; an image is its words.
markdown.validateLink = () => true;
markdown.renderer.rules.link_open = () => '';
markdown.renderer.rules.link_close = (tokens, index) => {
  const open = tokens.slice(0, index).findLast(({ type }) => type === 'link_open');
  return ` (${markdown.utils.escapeHtml(String(open?.attrGet('href') ?? ''))})`;
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

/** Markdown of a hostile text as plain elements: no HTML of its own, no links, no attributes. */
export function renderMarkdown(text: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(markdown.render(text), {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: [],
  });
  // Only here: `&#x202e;` has become the character that it stands for.
  const texts = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    node.nodeValue = visibleText(node.nodeValue ?? '');
  }
  return fragment;
}
