import { toLabellingSchema } from '../../src/protocol/labellingProtocol.ts';
import { vsCodeHost } from '../host.ts';
import { type LabellingHost, LabellingView } from './view.ts';

/** The labelling mode, as the extension leads through it. */
export function showLabelling(root: HTMLElement): void {
  const host: LabellingHost = vsCodeHost(toLabellingSchema);
  const view = new LabellingView(root, host);
  host.listen((message) => view.show(message));
  host.post({ kind: 'ready' });
}
