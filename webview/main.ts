import './jitless.ts';
import './style/base.css';
import './style/header.css';
import './style/assertions.css';
import './style/turns.css';
import './style/labels.css';
import './style/quotes.css';
import './style/report.css';
import './style/results.css';
import './style/compare.css';
import './style/agreement.css';
import './style/trends.css';
import './style/labelling.css';
import { RUN_ELEMENT } from '../src/protocol/reportPage.ts';
import { PAGE_ATTRIBUTE, type ViewPage } from '../src/protocol/viewPage.ts';
import { toViewSchema } from '../src/protocol/viewProtocol.ts';
import { showAgreement } from './agreement/main.ts';
import { vsCodeHost } from './host.ts';
import { showLabelling } from './labelling/main.ts';
import { showReport } from './report.ts';
import { showResults } from './results/main.ts';
import { showTrends } from './trends/main.ts';
import { registerControls } from './ui/controls.ts';
import { type ConversationHost, ConversationView } from './view.ts';

const root = document.getElementById('app');
const run = document.getElementById(RUN_ELEMENT);
if (root) registerControls();
if (root && run) showReport(root, run.textContent ?? '');
else if (root && isPage('results')) showResults(root);
else if (root && isPage('agreement')) showAgreement(root);
else if (root && isPage('trends')) showTrends(root);
else if (root && isPage('labelling')) showLabelling(root);
else if (root) showConversation(root);

function isPage(page: ViewPage): boolean {
  return document.documentElement.getAttribute(PAGE_ATTRIBUTE) === page;
}

function showConversation(root: HTMLElement): void {
  const host: ConversationHost = vsCodeHost(toViewSchema);
  const view = new ConversationView(root, host);
  host.listen((message) => {
    if (message.kind === 'snapshot') view.show(message.snapshot);
    else view.reveal(message.turn);
  });
  host.post({ kind: 'ready' });
}
