// `npm run vscode`: opens a real VS Code in the browser, with the extension and the examples.
import { join } from 'node:path';
import { CHECKOUT } from './install.ts';
import { startHost } from './server.ts';

const host = await startHost(true);
console.log(`VS Code with Turnlight: ${host.urlOf(join(CHECKOUT, 'examples'))}\nCtrl+C stops it.`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void host.stop().then(() => process.exit(0)));
}
