import type {
  Agreement,
  AgreementRow,
  LabeledItem,
  UnmatchedLabel,
} from '../../analysis/agreement.ts';
import type { ThresholdRow, Thresholds } from '../../analysis/thresholds.ts';
import { scoreText } from '../../core/presentation/score.ts';
import { caseTitle, STATUS_WORDS, VALIDITY_WORDS } from '../../core/presentation/words.ts';
import { counted } from '../../core/text/format.ts';
import { paragraphs } from '../../core/text/markdown.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { shownPath } from '../style.ts';
import type { Layout } from './layout.ts';

const MAX_NAME = 36;
const MAX_COMMENT = 160;

/** Maximum number of disagreements to list. */
const MAX_LISTED = { terminal: 50, markdown: 200 };

export const AGREEMENT_HEAD = [
  ...['Judge', 'Assertion', 'Unit', 'Compared', 'Accuracy', 'Precision', 'Recall'],
  ...['Kappa', '95% CI', 'Both fail', 'Judge fails', 'People fail', 'Both pass', 'Alpha'],
];

export const AGREEMENT_LEGEND =
  'Precision and recall are for “fail”. Kappa measures agreement with people beyond chance; alpha measures agreement among people.';

/** One row per judge and assertion, then each disagreement with its file and line. */
export function agreementReport(agreement: Agreement, layout: Layout, folder: string): string {
  const { rows } = agreement;
  return `${paragraphs(
    layout.title('Agreement of judges with people'),
    rows.length === 0
      ? noAgreementText(agreement)
      : layout.table(AGREEMENT_HEAD, rows.map(agreementRowCells), AGREEMENT_LEGEND),
    layout.list(agreementNotes(agreement)),
    layout.section('Disagreements', itemTexts(agreement, folder, MAX_LISTED[layout.kind])),
  )}\n`;
}

function noAgreementText({ unmatched }: Agreement): string {
  const isToRun = unmatched.some(({ reason }) => reason === 'not-run');
  return `No judged conversation has a label.${isToRun ? ' Run the files first: turnlight run' : ''}`;
}

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

/** The cells of a row under `AGREEMENT_HEAD`. */
export function agreementRowCells(row: AgreementRow): string[] {
  const { judge, confusion } = row;
  return [
    visibleLine(judge, MAX_NAME),
    ...agreementCells(row),
    ...confusionCells(confusion),
    row.alpha === null ? '–' : row.alpha.toFixed(2),
  ];
}

/** Sentences about labels that don't count or that answer an earlier question. */
export function agreementNotes(found: Pick<Agreement, 'rows' | 'unmatched'>): string[] {
  const sums = found.rows.filter(({ assertion }) => assertion === undefined);
  const sum = (pick: (row: AgreementRow) => number) =>
    sums.reduce((total, row) => total + pick(row), 0);
  const notes: [number, string][] = [
    [sum((row) => row.otherQuestion), 'counted, though the question has changed since'],
    [sum((row) => row.split), 'not counted: people are tied'],
    [sum((row) => row.unjudged), 'not counted: the judge errored or skipped it'],
    [sum((row) => row.notApplicable), 'not counted: people say that it does not apply'],
    ...(Object.keys(UNMATCHED) as UnmatchedLabel['reason'][]).map((reason): [number, string] => [
      found.unmatched.filter((one) => one.reason === reason).length,
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
  'not-run': 'no stored run contains the conversation',
};

function itemTexts({ disagreements }: Agreement, folder: string, most: number): string[] {
  const more = disagreements.length - most;
  return [
    ...disagreements.slice(0, most).map((one) => itemText(one, folder)),
    ...(more > 0 ? [`and ${more} more; --format json lists all`] : []),
  ];
}

/** `refund, turn 4, Kind  shop.eval.yaml:14: openai:judge passed, ann failed (shop.labels/ann.jsonl:3: "Rude.")` */
function itemText(item: LabeledItem, folder: string): string {
  const { turn, assertion, judge, status, labels, standing } = item;
  const about = [
    caseTitle(item),
    ...(turn === undefined ? [] : [`turn ${turn}`]),
    visibleLine(assertion.name, MAX_NAME),
  ].join(', ');
  const people = labels.map(({ person, status: own, path, line, comment }) => {
    const words = comment === undefined ? '' : `: “${visibleLine(comment, MAX_COMMENT)}”`;
    return `${visibleLine(person)} ${STATUS_WORDS[own]} (${shownPath(path, folder)}:${line}${words})`;
  });
  const mark = VALIDITY_WORDS[standing] === '' ? '' : `; ${VALIDITY_WORDS[standing]}`;
  const place = `${shownPath(item.path, folder)}:${item.line}`;
  return `${about}  ${place}: ${visibleLine(judge)} ${STATUS_WORDS[status]}, ${people.join(', ')}${mark}`;
}

/** Maximum number of thresholds to list. JSON contains all of them. */
const MAX_THRESHOLDS = 15;

export const THRESHOLDS_HEAD = [
  ...['Threshold', 'Accuracy', 'Precision', 'Recall', 'Kappa'],
  ...['Both fail', 'Judge fails', 'People fail', 'Both pass', ''],
];

const NO_THRESHOLDS = 'No judge gave labeled conversations different scores.';

export function thresholdsReport(all: readonly Thresholds[], layout: Layout): string {
  const parts = all.map((one) => {
    const rows = thresholdRows(one).map((row) => thresholdCells(row, one));
    const title = [one.judge, one.assertion.name]
      .map((name) => visibleLine(name, MAX_NAME))
      .join(', ');
    const sentence = layout.text(bestThresholdSentence(one));
    return layout.group(title, layout.table(THRESHOLDS_HEAD, rows), sentence);
  });
  const shown = parts.length > 0 ? parts : [NO_THRESHOLDS];
  return `${paragraphs(layout.heading('Thresholds'), ...shown)}\n`;
}

/** A sentence about the best threshold, and its accuracy on other conversations. */
export function bestThresholdSentence({ best, current, compared, heldOut }: Thresholds): string {
  const what =
    best === current
      ? `The threshold ${scoreText(best)} agrees best with people.`
      : `\`threshold: ${Number(best.toFixed(4))}\` agrees best with people.`;
  return `${what} If each verdict uses the threshold that is best for the other conversations, ${scoreText(heldOut)} of all ${compared} verdicts are right.`;
}

/**
 * Limits the number of thresholds: if there are too many, keeps the best one, the current one, and others at regular
 * intervals.
 */
export function thresholdRows({ rows, best, current }: Thresholds): ThresholdRow[] {
  const every = Math.ceil(rows.length / MAX_THRESHOLDS);
  const isNamed = ({ threshold }: ThresholdRow) => threshold === best || threshold === current;
  return rows.filter((row, index) => index % every === 0 || isNamed(row));
}

/** The cells of a row under `THRESHOLDS_HEAD`. */
export function thresholdCells(row: ThresholdRow, { best, current }: Thresholds): string[] {
  const { threshold, confusion, accuracy, precision, recall, kappa } = row;
  const marks = Object.entries({ current, best }).filter(([, value]) => value === threshold);
  return [
    scoreText(threshold),
    ...[accuracy, precision, recall].map(shareText),
    kappa === null ? '–' : kappa.toFixed(2),
    ...confusionCells(confusion),
    marks.map(([name]) => name).join(', '),
  ];
}
