import {
  type JudgedOutcome,
  opinionText,
  standingText,
} from '../../src/core/presentation/opinionText.ts';
import { type Opinion, saysSame } from '../../src/core/record/opinion.ts';
import { h } from '../h.ts';

/** `bob@example.com: wrong, should be passed “Kind enough”` */
export function opinionItem(one: Opinion, judged: JudgedOutcome, isOwn: boolean): HTMLElement {
  const { person, comment } = one;
  const mark = standingText(one);
  return h(
    'li',
    { 'data-opinion': saysSame(one, judged) ? 'right' : 'wrong' },
    h('span', { class: 'name' }, isOwn ? `${person} (you)` : person),
    `: ${opinionText(one, judged)}`,
    comment !== undefined && h('span', { class: 'said-of-it' }, ` “${comment}”`),
    mark !== undefined && h('span', { class: 'muted' }, ` · ${mark}`),
  );
}
