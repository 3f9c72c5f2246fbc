import type { CodeAction } from 'vscode-languageserver-types';
import { assertionMapping, findAssertionType } from '../../assertions/registry.ts';
import { valueAt } from '../../core/data/data.ts';
import { labelsFolder } from '../../core/record/labelFiles.ts';
import { COMMANDS } from '../../protocol/serverProtocol.ts';
import type { ActionContext } from './actions.ts';
import { assertionPath } from './promptFile.ts';

/** Of an assertion with words of its own in a file with labels: lets a model rewrite them, which the client does. */
export async function improveJudge(context: ActionContext): Promise<CodeAction[]> {
  const { document, uri, ports } = context;
  const path = assertionPath(context);
  const given = path && valueAt(document.yaml.value, path);
  const type = given === undefined ? undefined : findAssertionType(assertionMapping(given).type);
  if (!type?.asPrompt) return [];
  const entries = await ports.listFolder(labelsFolder(document.suite.path)).catch(() => []);
  if (!entries.some(({ name }) => name.endsWith('.jsonl'))) return [];
  const title = 'Improve this judge by labels';
  const command = { title, command: COMMANDS.improveJudge, arguments: [uri] };
  return [{ title, kind: 'refactor.rewrite', command }];
}
