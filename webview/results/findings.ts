import type { Findings } from '../../src/protocol/resultsProtocol.ts';
import { h } from '../h.ts';

/** What two runs differ by: first what changed besides what came out, then what the numbers say. */
export function renderFindings({
  runs,
  changed,
  sentence,
  evidence,
  noise,
}: Findings): HTMLElement {
  return h(
    'div',
    { class: 'findings' },
    h('p', { class: 'sentence' }, sentence),
    h('div', { class: 'muted' }, ...runs.map((words) => h('div', {}, words))),
    part('What changed', changed),
    h(
      'section',
      {},
      h('h2', {}, 'Each assertion'),
      h('ul', {}, ...evidence.map(({ says, text }) => h('li', { 'data-says': says }, text))),
    ),
    part('Judge noise', noise),
  );
}

function part(title: string, sentences: readonly string[]): HTMLElement {
  return h(
    'section',
    {},
    h('h2', {}, title),
    h('ul', {}, ...sentences.map((words) => h('li', {}, words))),
  );
}
