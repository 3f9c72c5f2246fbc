import './jitless.ts';
import './style/base.css';
import './style/header.css';
import './style/assertions.css';
import './style/turns.css';
import './style/quotes.css';
import './style/report.css';
import { RUN_ELEMENT } from '../src/protocol/reportPage.ts';
import { vsCodeHost } from './host.ts';
import { showReport } from './report.ts';
import { registerControls } from './ui/controls.ts';
import { ConversationView } from './view.ts';

const root = document.getElementById('app');
const run = document.getElementById(RUN_ELEMENT);
if (root) registerControls();
if (root && run) showReport(root, run.textContent ?? '');
else if (root) {
  const host = vsCodeHost();
  const view = new ConversationView(root, host);
  host.listen((message) => {
    if (message.kind === 'snapshot') view.show(message.snapshot);
    else view.reveal(message.turn);
  });
  host.post({ kind: 'ready' });
}
