import * as vscode from 'vscode';
import { stateAssertions } from '../../assertions/stateAssertions.ts';
import { overlayFiles } from '../../evalfile/files.ts';
import { hasDefaultChecks, proposeId } from '../../interop/savedCase.ts';
import type { ReceivedConversation } from '../../interop/traceInbox.ts';
import { COMMANDS } from '../../protocol/names.ts';
import type { Secrets } from '../secrets.ts';
import type { TestRunner } from '../testing/runner.ts';
import { mayRun, offerCommand, placeOf, readSuite } from '../workspace.ts';
import { addToFile, createEvalFile, pickEvalFile } from './evalFiles.ts';
import type { Inbox, Judged } from './inbox.ts';
import { askForClean } from './saveReceived.ts';

/**
 * Judges a received conversation with the assertions that apply to all cases of an eval file, as a case of the file that
 * isn't written to it.
 */
export async function judgeReceived(
  one: ReceivedConversation,
  inbox: Inbox,
  { runner, secrets }: { readonly runner: TestRunner; readonly secrets: Secrets },
): Promise<void> {
  if (!mayRun()) return;
  const file = await pickEvalFile('Select the eval file whose `defaults` judge the conversation');
  if (file === 'new') {
    const clean = await askForClean(one, secrets);
    const created = clean && (await createEvalFile(clean, secrets));
    if (!created) return;
    const given = [created.uri.toString(), created.id];
    await vscode.window.showTextDocument(created.uri, { preview: false });
    await vscode.commands.executeCommand(COMMANDS.openConversation, ...given);
    await vscode.commands.executeCommand(COMMANDS.runCase, ...given);
    return;
  }
  if (!file) return;
  const text = (await vscode.workspace.openTextDocument(file)).getText();
  if (!hasDefaultChecks(text)) {
    const name = vscode.workspace.asRelativePath(file);
    const message = `${name} has no assertions for all of its cases. Add some under \`defaults\`, or save the conversation as a case.`;
    const shown = vscode.window.showInformationMessage(message, 'Save as Case');
    await offerCommand(shown, 'turnlight.saveTrace');
    return;
  }
  const { conversation, draft } = one;
  const { tools } = draft?.keys ?? {};
  const keys = { ...(tools !== undefined && { tools }) };
  const place = await placeOf(file);
  const { outline } = await readSuite(file, place.files);
  const id = proposeId(
    conversation,
    outline.map((known) => known.id),
  );
  const added = await addToFile({ conversation, keys, id, as: 'transcript' }, text, place);
  if (!added) return;
  const files = overlayFiles(place.files, (path) => (path === place.path ? added.text : undefined));
  const { suite } = await readSuite(file, files);
  const suiteCase = suite?.cases.find((known) => known.id === id);
  if (!suite || !suiteCase) return;
  inbox.judgedOf(one.id)?.abort.abort();
  const abort = new AbortController();
  let judged: Judged = {
    conversation,
    suiteName: suite.name,
    assertions: stateAssertions(suiteCase),
    abort,
    state: { file: file.toString(), id, repetition: 1 },
  };
  const change = (changed: Partial<Judged>) => {
    judged = { ...judged, ...changed };
    inbox.setJudged(one.id, judged);
  };
  change({});
  const chosen = { suite: { ...suite, cases: [suiteCase] }, cases: [suiteCase] };
  await runner.runUnlisted(chosen, abort.signal, (event) => {
    if (event.kind === 'run-started') {
      const [record] = event.records;
      change({ state: { ...judged.state, ...(record !== undefined && { record }) } });
    } else if (event.kind === 'case-finished' && event.ref.repetition === 1) {
      change({ line: event.line });
    }
  });
}
