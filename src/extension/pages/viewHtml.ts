import { PAGE_ATTRIBUTE, type ViewPage, viewPolicy } from '../../protocol/viewPage.ts';

interface ViewHtmlOptions {
  /** Random, new for each page: scripts without it don't run. */
  readonly nonce: string;
  /** The webview's own origin, for style sheets. */
  readonly cspSource: string;
  readonly page: ViewPage;
  readonly scriptUri: string;
  readonly styleUri: string;
}

export const TITLES: Readonly<Record<ViewPage, string>> = {
  conversation: 'Conversation',
  results: 'Results',
  agreement: 'Agreement',
  trends: 'Trends',
  labelling: 'Label Conversations',
};

/** The HTML of a page. It loads its own script and style sheet, and nothing else. */
export function viewHtml({ nonce, cspSource, page, scriptUri, styleUri }: ViewHtmlOptions): string {
  return `<!DOCTYPE html>
<html lang="en" ${PAGE_ATTRIBUTE}="${page}">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${viewPolicy(nonce, cspSource)}" />
    <meta property="csp-nonce" content="${nonce}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="stylesheet" href="${styleUri}" />
    <title>${TITLES[page]}</title>
  </head>
  <body>
    <main id="app"></main>
    <script type="module" nonce="${nonce}" src="${scriptUri}"></script>
  </body>
</html>
`;
}
