import { failingCases } from '../src/core/failingCases.ts';
import { isFailure } from '../src/core/verdict.ts';
import { reportPageSchema } from '../src/protocol/reportPage.ts';
import type { Snapshot } from '../src/protocol/viewProtocol.ts';
import { nameOf, renderCases } from './render/cases.ts';
import { ConversationView } from './view.ts';

/**
 * A run on a page of its own: a list of the cases, and the conversation of the one that the address
 * names, `#3`; of the first that did not pass where it names none.
 *
 * @param json the run, as the page holds it
 */
export function showReport(root: HTMLElement, json: string): void {
  const page = reportPageSchema.parse(JSON.parse(json));
  const { executions } = page;
  const list = document.getElementById('cases');
  const view = new ConversationView(root, {
    editor: false,
    keep: () => {},
    listen: () => {},
    post(message) {
      if (message.kind === 'show-repetition') go(repetitionOf(shown(), message.repetition));
      if (message.kind === 'show-failing') go(failingBeside(shown(), message.step));
    },
  });
  const go = (number: number) => {
    if (number > 0) location.hash = `#${number}`;
  };
  const repetitionOf = (number: number, wanted: number) => {
    const { state } = executions[number - 1] ?? {};
    const same = ({ file, id, variant, repetition }: Snapshot['state']) =>
      file === state?.file && id === state.id && variant === state.variant && repetition === wanted;
    return 1 + executions.findIndex((one) => same(one.state));
  };
  const refs = executions.map(({ state: { file, id, variant, repetition }, status }) => ({
    ...{ suite: file, id, variant, repetition },
    status: status ?? 'skipped',
  }));
  const failing = (number: number) => {
    const ref = refs[number - 1];
    return ref && failingCases(refs, ref);
  };
  const failingBeside = (number: number, step: 1 | -1) => {
    const found = failing(number)?.beside(step);
    return 1 + refs.findIndex((ref) => ref === found);
  };
  const shown = () => {
    const named = Number(location.hash.slice(1));
    if (executions[named - 1]) return named;
    const failed = executions.findIndex(({ status }) => status && isFailure({ status }));
    return failed < 0 ? 1 : 1 + failed;
  };
  const show = () => {
    const number = shown();
    const snapshot = executions[number - 1];
    if (!snapshot) return;
    for (const [index, link] of (list?.querySelectorAll('a') ?? []).entries()) {
      if (index === number - 1) {
        link.setAttribute('aria-current', 'page');
        link.scrollIntoView({ block: 'nearest' });
      } else link.removeAttribute('aria-current');
    }
    document.title = nameOf(snapshot);
    const { count, at } = failing(number) ?? {};
    view.show({
      ...snapshot,
      ...(count !== undefined && { failing: { count, ...(at !== undefined && { at }) } }),
    });
  };
  list?.replaceChildren(...renderCases(page));
  window.addEventListener('hashchange', () => {
    show();
    window.scrollTo(0, 0);
  });
  show();
}
