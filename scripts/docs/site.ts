import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';
import { docsFiles, ROOT } from './pages.ts';

/** The page whose links are the navigation. */
const CONTENTS = 'docs/README.md';

const STYLE = 'style.css';

const markdown = new MarkdownIt({ html: false });

/**
 * The files of the site: contents by path. Pages become HTML at the same place. Other files that pages link to are
 * included.
 */
export function siteFiles(): ReadonlyMap<string, string | Uint8Array> {
  const pages = docsFiles();
  const files = new Map<string, string | Uint8Array>();
  files.set(STYLE, readFileSync(join(import.meta.dirname, STYLE)));
  const contents = pages.get(CONTENTS) ?? '';
  for (const [page, text] of pages) {
    const tokens = markdown.parse(text.replaceAll(/<!--[\s\S]*?-->\n/g, ''), {});
    nameHeadings(tokens);
    for (const path of leadLinks(tokens, page, pages)) files.set(path, readLinked(path, page));
    const body = markdown.renderer.render(tokens, markdown.options, {});
    files.set(addressOf(page), htmlOf(page, body, contents));
  }
  return files;
}

/** `docs/README.md` → `docs/index.html`, `docs/editors.md` → `docs/editors.html`. */
function addressOf(page: string): string {
  return page.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, '.html');
}

function readLinked(path: string, page: string): Uint8Array {
  try {
    return readFileSync(join(ROOT, path));
  } catch {
    throw new Error(`${page} links to ${path}, which is not a file.`);
  }
}

/** Points links between pages to their HTML. @returns the other linked files, by path in the repository */
function leadLinks(tokens: Token[], page: string, pages: ReadonlyMap<string, string>): string[] {
  const others: string[] = [];
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const attribute = token.type === 'image' ? 'src' : 'href';
    const written = String(token.attrGet(attribute) ?? '');
    const [path = '', fragment] = written.split('#');
    if (/^\w+:/.test(written) || path === '') continue;
    const target = posix.join(posix.dirname(page), decodeURIComponent(path));
    if (!pages.has(target)) others.push(target);
    const address = pages.has(target) ? addressOf(path) : path;
    token.attrSet(attribute, fragment === undefined ? address : `${address}#${fragment}`);
  }
  return others;
}

function nameHeadings(tokens: Token[]): void {
  const seen = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const inside = tokens[index + 1]?.children ?? [];
    token.attrSet('id', slugOf(inside.map(({ content }) => content).join(''), seen));
  }
}

/** A heading's id, as GitHub generates it. */
function slugOf(text: string, seen: Map<string, number>): string {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  const before = seen.get(slug) ?? 0;
  seen.set(slug, before + 1);
  return before === 0 ? slug : `${slug}-${before}`;
}

function htmlOf(page: string, body: string, contents: string): string {
  const title = /<h1[^>]*>(.*?)<\/h1>/.exec(body)?.[1]?.replaceAll(/<[^>]+>/g, '') ?? page;
  const up = posix.relative(posix.dirname(page), '.') || '.';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title === 'Turnlight' ? title : `${title} · Turnlight`}</title>
<link rel="stylesheet" href="${up}/${STYLE}">
</head>
<body>
<nav aria-label="Pages"><a href="${up}/index.html"><b>Turnlight</b></a>
${navigation(contents, page)}
</nav>
<main>
${body}</main>
</body>
</html>
`;
}

/** A list of links for each bold heading in the table of contents. */
function navigation(contents: string, page: string): string {
  const from = (path: string) =>
    posix.relative(posix.dirname(page), posix.join(posix.dirname(CONTENTS), path));
  const groups = contents.split(/^\*\*(\w+)\*\*.*$/m).slice(1);
  return groups
    .map((part, index) => {
      if (index % 2 === 0) return `<h2>${part}</h2>`;
      const links = [...part.matchAll(/\[(.+?)\]\((.+?)\)/g)].map(([, text = '', path = '']) => {
        const current = from(path) === posix.basename(page) ? ' aria-current="page"' : '';
        return `<li><a href="${addressOf(from(path))}"${current}>${text}</a></li>`;
      });
      return `<ul>${links.join('')}</ul>`;
    })
    .join('\n');
}
