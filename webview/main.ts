import './jitless.ts';
import './style/base.css';
import './style/header.css';
import './style/assertions.css';
import './style/turns.css';
import './style/quotes.css';
import { vsCodeHost } from './host.ts';
import { registerControls } from './ui/controls.ts';
import { ConversationView } from './view.ts';

const root = document.getElementById('app');
if (root) {
  registerControls();
  const host = vsCodeHost();
  const view = new ConversationView(root, host);
  host.listen((message) => {
    if (message.kind === 'snapshot') view.show(message.snapshot);
    else view.reveal(message.turn);
  });
  host.post({ kind: 'ready' });
}
