import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { startServer } from './server.ts';

/** The language server's process: `--stdio`, or `--node-ipc` as VS Code starts it. */
startServer(createConnection(ProposedFeatures.all));
