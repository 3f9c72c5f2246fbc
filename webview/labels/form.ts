import { scoreText } from '../../src/core/presentation/score.ts';
import { LABEL_WORDS } from '../../src/core/presentation/words.ts';
import type { Opinion } from '../../src/core/record/label.ts';
import {
  reaches,
  type Scale,
  shareOnScale,
  UNIT_SCALE,
  valueOnScale,
} from '../../src/core/scoring.ts';
import type { TurnVerdict, Verdict } from '../../src/core/verdict.ts';
import { h, plainButton } from '../h.ts';

/** What a person thinks a verdict should be. */
type LabelValue = Pick<Opinion, 'status' | 'label' | 'score' | 'comment'>;

interface FormOptions {
  /** The verdict's name for screen readers. */
  readonly name: string;
  readonly threshold: number;
  /** The labels that the judge chooses from, with their scores. */
  readonly labels?: Readonly<Record<string, number>> | undefined;
  /** The scale of scores, if the verdict has more than two outcomes. */
  readonly scale?: Scale | undefined;
  /** The existing label, or a likely one. */
  readonly before: Partial<LabelValue>;
  readonly onSave: (value: LabelValue) => void;
  readonly onCancel: () => void;
}

interface Choice {
  readonly words: string;
  readonly value: LabelValue;
}

/** A form for what a verdict should be. Enter saves, Escape cancels. */
export function labelForm(options: FormOptions): HTMLElement {
  const { name, scale, before, onSave, onCancel } = options;
  const choices = choicesOf(options);
  const inputs = choices.map(({ value }, index) =>
    h('input', {
      type: 'radio',
      // Only one form is open at a time.
      name: 'should-be',
      'data-focus': `should be ${index}`,
      checked: isChosen(value, before),
    }),
  );
  const score =
    scale &&
    h('input', {
      type: 'number',
      min: String(scale[0]),
      max: String(scale[1]),
      step: 'any',
      'data-focus': 'score',
      value: before.score === undefined ? '' : String(valueOnScale(scale, before.score)),
    });
  const comment = h('input', {
    type: 'text',
    class: 'comment',
    'aria-label': 'Comment',
    placeholder: 'Why (optional)',
    'data-focus': 'comment',
    value: before.comment ?? '',
    maxlength: '2000',
  });
  const fault = h('div', { class: 'fault', role: 'alert' });
  const save = () => {
    const chosen = choices[inputs.findIndex(({ checked }) => checked)];
    const read = score && scale ? readScore(score, scale) : undefined;
    if (!chosen) fault.textContent = 'Select what it should be.';
    else if (read === 'wrong') fault.textContent = `Enter a score from ${scale?.join(' to ')}.`;
    else {
      const words = comment.value.trim();
      onSave({
        ...chosen.value,
        ...(read !== undefined && chosen.value.status !== 'skipped' && { score: read }),
        ...(words !== '' && { comment: words }),
      });
    }
  };
  score?.addEventListener('input', () => {
    const read = scale && readScore(score, scale);
    if (typeof read !== 'number') return;
    const status = reaches(read, options.threshold) ? 'pass' : 'fail';
    for (const [index, { value }] of choices.entries()) {
      const input = inputs[index];
      if (input) input.checked = value.status === status;
    }
  });
  const button = (words: string, onClick: () => void, style = 'say') =>
    plainButton({ class: style, 'data-focus': `form ${words}` }, onClick, words);
  const element = h(
    'div',
    { class: 'label-form', role: 'group', 'aria-label': `What it should be: ${name}` },
    h(
      'div',
      { class: 'choices', role: 'radiogroup', 'aria-label': 'It should be' },
      ...choices.map(({ words }, index) => h('label', inputs[index], words)),
    ),
    comment,
    score && h('label', `Score from ${scale?.join(' to ')} (optional) `, score),
    fault,
    h('div', { class: 'choices' }, button('Save', save, 'say primary'), button('Cancel', onCancel)),
  );
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') onCancel();
    else if (event.key === 'Enter' && event.target instanceof HTMLInputElement) save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return element;
}

function choicesOf({ labels, threshold }: FormOptions): Choice[] {
  const named = Object.entries(labels ?? {}).map(([label, score]): Choice => {
    const status = reaches(score, threshold) ? 'pass' : 'fail';
    const words = `${label} (${scoreText(score, threshold)}, ${LABEL_WORDS[status]})`;
    return { words, value: { status, label, score } };
  });
  const plain = named.length === 0 ? (['pass', 'fail', 'skipped'] as const) : ['skipped' as const];
  return [...named, ...plain.map((status) => ({ words: LABEL_WORDS[status], value: { status } }))];
}

function isChosen(value: Choice['value'], before: Partial<LabelValue>): boolean {
  if (value.label !== undefined) return value.label === before.label;
  return value.status === before.status;
}

/** The score in 0..1; undefined if the field is empty. */
function readScore(input: HTMLInputElement, scale: Scale): number | 'wrong' | undefined {
  const { badInput } = input.validity;
  if (input.value === '' && !badInput) return undefined;
  const share = shareOnScale(scale, Number(input.value));
  return badInput || !(share >= 0 && share <= 1) ? 'wrong' : share;
}

/** The scale for scores; undefined if a verdict, or its result for a turn, can only pass or fail. */
export function scaleOf(
  judged: { readonly score: number | null },
  { scale = UNIT_SCALE }: { readonly scale?: Scale | undefined },
): Scale | undefined {
  const isOnScale = 'scale' in judged && judged.scale !== undefined;
  const isFine = judged.score !== null && judged.score !== 0 && judged.score !== 1;
  return isOnScale || isFine ? scale : undefined;
}

/** The opposite of a verdict. */
export function oppositeOf({ status }: TurnVerdict | Verdict): Partial<LabelValue> {
  if (status === 'pass') return { status: 'fail' };
  return status === 'fail' ? { status: 'pass' } : {};
}
