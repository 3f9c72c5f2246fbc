import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';

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
  return DOMPurify.sanitize(markdown.render(text), {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: [],
  });
}

/** Characters that turn the direction of text or hide: shown by their number. */
const INVISIBLE = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

export function showInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    // Joiners hold emoji and some scripts together.
    if (character === '\u200d' || character === '\u200c') return character;
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}
