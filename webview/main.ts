import './jitless.ts';
import './style.css';
import { vsCodeHost } from './host.ts';
import { listenForKeys } from './keyboard.ts';
import { registerControls } from './ui/controls.ts';
import { ConversationView } from './view.ts';

const root = document.getElementById('app');
if (root) {
  registerControls();
  const host = vsCodeHost();
  const view = new ConversationView(root, host);
  listenForKeys(root);
  host.listen((message) => {
    if (message.kind === 'snapshot') view.show(message.snapshot);
    else view.reveal(message.turn);
  });
  host.post({ kind: 'ready' });
}
