import { randomBytes } from 'node:crypto';
import { PAGE_ATTRIBUTE, type ViewPage, viewPolicy } from '../../protocol/viewPage.ts';

export const TITLES: Readonly<Record<ViewPage, string>> = {
  conversation: 'Conversation',
  results: 'Results',
  agreement: 'Agreement',
  trends: 'Trends',
  labeling: 'Label Conversations',
  talk: 'Talk',
};

/**
 * The HTML of a page. It loads its own script and style sheet, and nothing else.
 *
 * @param cspSource the webview's own origin, for style sheets
 * @param assetUri returns the URI of a file in `dist`
 */
export function viewHtml(
  page: ViewPage,
  cspSource: string,
  assetUri: (name: string) => string,
): string {
  const nonce = randomBytes(16).toString('base64url');
  return `<!DOCTYPE html>
<html lang="en" ${PAGE_ATTRIBUTE}="${page}">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${viewPolicy(page, nonce, cspSource)}" />
    <meta property="csp-nonce" content="${nonce}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="stylesheet" href="${assetUri('webview.css')}" />
    <title>${TITLES[page]}</title>
  </head>
  <body>
    <main id="app"></main>
    <script type="module" nonce="${nonce}" src="${assetUri('webview.js')}"></script>
  </body>
</html>
`;
}
