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
import './style/labeling.css';
import './style/talk.css';
import { agreementProtocol } from '../src/protocol/agreementProtocol.ts';
import { labelingProtocol } from '../src/protocol/labelingProtocol.ts';
import { RUN_ELEMENT } from '../src/protocol/reportPage.ts';
import { resultsProtocol } from '../src/protocol/resultsProtocol.ts';
import { talkProtocol } from '../src/protocol/talkProtocol.ts';
import { trendsProtocol } from '../src/protocol/trendsProtocol.ts';
import { PAGE_ATTRIBUTE, type ViewPage } from '../src/protocol/viewPage.ts';
import { conversationProtocol } from '../src/protocol/viewProtocol.ts';
import { showAgreement } from './agreement/view.ts';
import { connect } from './host.ts';
import { LabelingView } from './labeling/view.ts';
import { showReport } from './report.ts';
import { ResultsView } from './results/view.ts';
import { TalkView } from './talk/view.ts';
import { showTrends } from './trends/view.ts';
import { registerControls } from './ui/controls.ts';
import { ConversationView } from './view.ts';

const PAGES: Readonly<Record<ViewPage, (root: HTMLElement) => void>> = {
  conversation: (root) => connect(conversationProtocol, (host) => new ConversationView(root, host)),
  results: (root) =>
    connect(resultsProtocol, (host, saved) => new ResultsView(root, host, saved?.shown)),
  agreement: (root) => connect(agreementProtocol, (host) => showAgreement(root, host)),
  labeling: (root) => connect(labelingProtocol, (host) => new LabelingView(root, host)),
  trends: (root) => connect(trendsProtocol, (host, saved) => showTrends(root, host, saved?.suite)),
  talk: (root) => connect(talkProtocol, (host, saved) => new TalkView(root, host, saved?.draft)),
};

const root = document.getElementById('app');
if (root) {
  registerControls();
  const run = document.getElementById(RUN_ELEMENT);
  const page = document.documentElement.getAttribute(PAGE_ATTRIBUTE);
  if (run) showReport(root, run.textContent ?? '');
  else PAGES[page as ViewPage](root);
}
