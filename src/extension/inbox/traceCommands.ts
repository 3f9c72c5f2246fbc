import type { ReceivedConversation } from '../../interop/traceInbox.ts';
import type { PageParts } from '../pages/webviewPage.ts';
import type { Secrets } from '../secrets.ts';
import type { TestRunner } from '../testing/runner.ts';
import { inform } from '../workspace.ts';
import type { Inbox } from './inbox.ts';
import { activeReceived, openReceived } from './inboxPage.ts';
import { judgeReceived } from './judgeReceived.ts';
import { saveReceived } from './saveReceived.ts';

export type TraceAction = 'open' | 'judge' | 'save';

/** @param given a received conversation; default: the one on the active page, or else the selected one */
export async function actOnTrace(
  action: TraceAction,
  given: unknown,
  inbox: Inbox,
  parts: PageParts & { readonly runner: TestRunner; readonly secrets: Secrets },
): Promise<void> {
  const one = isReceived(given) ? inbox.find(given.id) : (activeReceived() ?? inbox.selected);
  if (!one) {
    inform('First open or select a received conversation.');
    return;
  }
  if (one.problem !== undefined && action !== 'open') {
    inform(one.problem);
    return;
  }
  if (action === 'save') await saveReceived(one, parts.secrets);
  else {
    openReceived(one, inbox, parts);
    if (action === 'judge') await judgeReceived(one, inbox, parts);
  }
}

/** Any extension can run the commands. */
function isReceived(value: unknown): value is Pick<ReceivedConversation, 'id'> {
  return typeof value === 'object' && value !== null && 'id' in value && 'conversation' in value;
}
