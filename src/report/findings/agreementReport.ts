import type {
  Agreement,
  AgreementRow,
  LabelledItem,
  UnmatchedLabel,
} from '../../analysis/agreement.ts';
import type { ThresholdRow, Thresholds } from '../../analysis/thresholds.ts';
import { scoreText } from '../../core/presentation/score.ts';
import { caseTitle, STATUS_WORDS, VALIDITY_WORDS } from '../../core/presentation/words.ts';
import { counted } from '../../core/text/format.ts';
import { escapeLine, paragraphs } from '../../core/text/markdown.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { type Paint, shownPath } from '../style.ts';
import { markdownList, markdownTable, plainTable } from '../tables.ts';

const MAX_NAME = 36;
const MAX_COMMENT = 160;
const ITEM_LENGTH = 600;

/** Disagreements to list; more are counted. */
const MAX_LISTED = { terminal: 50, markdown: 200 };

export const AGREEMENT_HEAD = [
  ...['Judge', 'Assertion', 'Of', 'Compared', 'Accuracy', 'Precision', 'Recall'],
  ...['Kappa', '95 %', 'Both fail', 'Judge fails', 'People fail', 'Both pass', 'Alpha'],
];

export const AGREEMENT_LEGEND =
  'Precision and recall are for “fail”. Kappa measures agreement with people beyond chance; alpha measures agreement among people.';

/** For a terminal: a row per judge and assertion, then each disagreement with file and line. */
export function agreementText(agreement: Agreement, paint: Paint, folder: string): string {
  const { rows } = agreement;
  const items = itemTexts(agreement, folder, MAX_LISTED.terminal);
  return `${paragraphs(
    rows.length === 0 ? noAgreementText(agreement) : undefined,
    rows.length === 0
      ? undefined
      : `${plainTable(AGREEMENT_HEAD, rows.map(agreementRowCells), false)}\n${AGREEMENT_LEGEND}`,
    agreementNotes(agreement).join('\n'),
    items.length === 0 ? undefined : [paint.bold('Disagreements'), ...items].join('\n  '),
  )}\n`;
}

/** For a pull request. */
export function agreementMarkdown(agreement: Agreement, folder: string): string {
  const { rows } = agreement;
  const items = itemTexts(agreement, folder, MAX_LISTED.markdown);
  return `${paragraphs(
    '# Agreement of judges with people',
    rows.length === 0
      ? noAgreementText(agreement)
      : `${markdownTable(AGREEMENT_HEAD, rows.map(agreementRowCells))}\n\n${AGREEMENT_LEGEND}`,
    markdownList(agreementNotes(agreement), ITEM_LENGTH),
    items.length === 0 ? undefined : `## Disagreements\n\n${markdownList(items, ITEM_LENGTH)}`,
  )}\n`;
}

function noAgreementText({ unmatched }: Agreement): string {
  const isToRun = unmatched.some(({ reason }) => reason === 'not-run');
  return `No judged conversation has a label.${isToRun ? ' Run the files first: turnlight run' : ''}`;
}

/** What was compared, and how well judge and people agree. */
export function agreementCells({ assertion, of, compared, kappa, ...row }: AgreementRow): string[] {
  return [
    assertion ? visibleLine(assertion.name, MAX_NAME) : 'all',
    of,
    String(compared),
    shareText(row.accuracy),
    shareText(row.precision),
    shareText(row.recall),
    kappa ? kappa.kappa.toFixed(2) : '–',
    kappa ? `${kappa.low.toFixed(2)} to ${kappa.high.toFixed(2)}` : '–',
  ];
}

function shareText(share: number | null): string {
  return share === null ? '–' : scoreText(share);
}

function confusionCells(confusion: AgreementRow['confusion']): string[] {
  const { failFail, failPass, passFail, passPass } = confusion;
  return [failFail, failPass, passFail, passPass].map(String);
}

/** A row under `AGREEMENT_HEAD`. */
export function agreementRowCells(row: AgreementRow): string[] {
  const { judge, confusion } = row;
  return [
    visibleLine(judge, MAX_NAME),
    ...agreementCells(row),
    ...confusionCells(confusion),
    row.alpha === null ? '–' : row.alpha.toFixed(2),
  ];
}

/** What the numbers exclude, one sentence each. */
export function agreementNotes({
  rows,
  unmatched,
}: Pick<Agreement, 'rows' | 'unmatched'>): string[] {
  const sums = rows.filter(({ assertion }) => assertion === undefined);
  const sum = (pick: (row: AgreementRow) => number) =>
    sums.reduce((total, row) => total + pick(row), 0);
  const notes: [number, string][] = [
    [sum((row) => row.otherQuestion), 'counted, though the question has changed since'],
    [sum((row) => row.split), 'not counted: people are tied'],
    [sum((row) => row.unjudged), 'not counted: the judge errored or skipped it'],
    [sum((row) => row.notApplicable), 'not counted: people say that it does not apply'],
    ...(Object.keys(UNMATCHED) as UnmatchedLabel['reason'][]).map((reason): [number, string] => [
      unmatched.filter((one) => one.reason === reason).length,
      `not counted: ${UNMATCHED[reason]}`,
    ]),
  ];
  return notes
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${counted(count, 'label')} ${text}.`);
}

const UNMATCHED: Readonly<Record<UnmatchedLabel['reason'], string>> = {
  'earlier-text': VALIDITY_WORDS['earlier-text'],
  'not-judged': 'no verdict on that assertion or turn',
  'not-run': 'no stored run has the conversation',
};

function itemTexts({ disagreements }: Agreement, folder: string, most: number): string[] {
  const more = disagreements.length - most;
  return [
    ...disagreements.slice(0, most).map((one) => itemText(one, folder)),
    ...(more > 0 ? [`and ${more} more; --format json lists all`] : []),
  ];
}

/** `refund, turn 4, Kind  shop.eval.yaml:14: openai:judge passed, ann failed (shop.labels/ann.jsonl:3: "Rude.")` */
function itemText(item: LabelledItem, folder: string): string {
  const { turn, assertion, judge, status, labels, standing } = item;
  const about = [
    caseTitle(item),
    ...(turn === undefined ? [] : [`turn ${turn}`]),
    visibleLine(assertion.name, MAX_NAME),
  ].join(', ');
  const said = labels.map(({ person, status: own, path, line, comment }) => {
    const words = comment === undefined ? '' : `: “${visibleLine(comment, MAX_COMMENT)}”`;
    return `${visibleLine(person)} ${STATUS_WORDS[own]} (${shownPath(path, folder)}:${line}${words})`;
  });
  const mark = VALIDITY_WORDS[standing] === '' ? '' : `; ${VALIDITY_WORDS[standing]}`;
  const place = `${shownPath(item.path, folder)}:${item.line}`;
  return `${about}  ${place}: ${visibleLine(judge)} ${STATUS_WORDS[status]}, ${said.join(', ')}${mark}`;
}

/** Thresholds to list; the others are in the JSON. */
const MAX_THRESHOLDS = 15;

export const THRESHOLDS_HEAD = [
  ...['Threshold', 'Accuracy', 'Precision', 'Recall', 'Kappa'],
  ...['Both fail', 'Judge fails', 'People fail', 'Both pass', ''],
];

const NO_THRESHOLDS = 'No judge gave labeled conversations more than one score.';

/** For a terminal. */
export function thresholdsText(all: readonly Thresholds[], paint: Paint): string {
  const parts = all.flatMap((one) => [
    `${paint.bold(titleOf(one))}\n${plainTable(
      THRESHOLDS_HEAD,
      thresholdRows(one).map((row) => thresholdCells(row, one)),
      false,
    )}\n${bestThresholdSentence(one)}`,
  ]);
  return `${paragraphs(paint.bold('Thresholds'), ...(parts.length > 0 ? parts : [NO_THRESHOLDS]))}\n`;
}

/** For a pull request. */
export function thresholdsMarkdown(all: readonly Thresholds[]): string {
  const parts = all.flatMap((one) => [
    `### ${escapeLine(titleOf(one))}`,
    markdownTable(
      THRESHOLDS_HEAD,
      thresholdRows(one).map((row) => thresholdCells(row, one)),
    ),
    escapeLine(bestThresholdSentence(one), ITEM_LENGTH),
  ]);
  return `${paragraphs('## Thresholds', ...(parts.length > 0 ? parts : [NO_THRESHOLDS]))}\n`;
}

function titleOf({ judge, assertion }: Thresholds): string {
  return `${visibleLine(judge, MAX_NAME)}, ${visibleLine(assertion.name, MAX_NAME)}`;
}

/** The best threshold, and its accuracy on other conversations. */
export function bestThresholdSentence({ best, current, compared, heldOut }: Thresholds): string {
  const isBest = best === current;
  const what = isBest
    ? `The threshold ${scoreText(best)} agrees best with people.`
    : `\`threshold: ${Number(best.toFixed(4))}\` agrees best with people.`;
  return `${what} With the threshold that is best on the other conversations, ${scoreText(heldOut)} of all ${compared} verdicts are right.`;
}

/** If there are too many: the best, the current one, and others at regular intervals. */
export function thresholdRows({ rows, best, current }: Thresholds): ThresholdRow[] {
  const every = Math.ceil(rows.length / MAX_THRESHOLDS);
  const isNamed = ({ threshold }: ThresholdRow) => threshold === best || threshold === current;
  return rows.filter((row, index) => index % every === 0 || isNamed(row));
}

/** A row under `THRESHOLDS_HEAD`. */
export function thresholdCells(row: ThresholdRow, { best, current }: Thresholds): string[] {
  const { threshold, confusion, accuracy, precision, recall, kappa } = row;
  const marks = [
    ...(threshold === current ? ['current'] : []),
    ...(threshold === best ? ['best'] : []),
  ];
  return [
    scoreText(threshold),
    ...[accuracy, precision, recall].map(shareText),
    kappa === null ? '–' : kappa.toFixed(2),
    ...confusionCells(confusion),
    marks.join(', '),
  ];
}
