import { toAgreementSchema } from '../../src/protocol/agreementProtocol.ts';
import { vsCodeHost } from '../host.ts';
import { type AgreementHost, AgreementView } from './view.ts';

/** The agreement of judges with people, as the extension sends it. */
export function showAgreement(root: HTMLElement): void {
  const host: AgreementHost = vsCodeHost(toAgreementSchema);
  const view = new AgreementView(root, host);
  host.listen(({ agreement }) => view.show(agreement));
  host.keep({});
  host.post({ kind: 'ready' });
}
