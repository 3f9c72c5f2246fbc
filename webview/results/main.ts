import { resultsStateSchema, toResultsSchema } from '../../src/protocol/resultsProtocol.ts';
import { vsCodeHost } from '../host.ts';
import { type ResultsHost, ResultsView } from './view.ts';

/** The results of a run, as the extension sends them. */
export function showResults(root: HTMLElement): void {
  const host: ResultsHost & { readonly kept: unknown } = vsCodeHost(toResultsSchema);
  const kept = resultsStateSchema.safeParse(host.kept);
  const view = new ResultsView(root, host, kept.data?.shown);
  host.listen((message) => {
    if (message.kind === 'snapshot') view.show(message.results);
    else view.found(message);
  });
  window.addEventListener('focus', () => {
    if (document.activeElement === document.body) view.focus();
  });
  host.post({ kind: 'ready' });
}
