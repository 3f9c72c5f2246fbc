import type {
  AgreementRow,
  JoinedAgreement,
  LabeledItem,
  LabeledRuns,
} from '../../analysis/agreement.ts';
import { type Thresholds, thresholdsOf } from '../../analysis/thresholds.ts';
import {
  caseTitle,
  LABEL_WORDS,
  labelProblemTexts,
  VALIDITY_WORDS,
} from '../../core/presentation/words.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import type { AgreementSnapshot, ThresholdTable } from '../../protocol/agreementProtocol.ts';
import {
  AGREEMENT_HEAD,
  AGREEMENT_LEGEND,
  agreementNotes,
  agreementRowCells,
  bestThresholdSentence,
  THRESHOLDS_HEAD,
  thresholdCells,
  thresholdRows,
} from '../../report/findings/agreementReport.ts';

/** Maximum number of disagreements to list; the rest are only counted. */
export const LISTED = 1000;

/** @param shownPath returns the display form of a path */
export function shownAgreement(
  { rows, items, disagreements, unmatched }: JoinedAgreement,
  { labels, problems }: Pick<LabeledRuns, 'labels' | 'problems'>,
  shownPath: (path: string) => string,
): AgreementSnapshot {
  const listed = disagreements.slice(0, LISTED);
  const thresholds = thresholdsOf(items);
  return {
    phase: 'done',
    labels: labels.length,
    head: AGREEMENT_HEAD,
    meaning: AGREEMENT_LEGEND,
    rows: rows.map((row) => {
      const own = thresholds.find((one) => isOf(one, row));
      return {
        cells: agreementRowCells(row),
        confusion: row.confusion,
        disagreements: listed.flatMap((item, index) => (isIn(item, row) ? [index] : [])),
        thresholds: own && shownThresholds(own),
      };
    }),
    notes: agreementNotes({ rows, unmatched }),
    problems: labelProblemTexts(problems, shownPath),
    disagreements: listed.map(shownItem),
    more: disagreements.length - listed.length,
  };
}

function isOf({ judge, assertion }: Thresholds, row: AgreementRow): boolean {
  return row.of === 'cases' && judge === row.judge && assertion.key === row.assertion?.key;
}

function shownThresholds(own: Thresholds): ThresholdTable {
  const rows = thresholdRows(own);
  return {
    head: THRESHOLDS_HEAD,
    rows: rows.map((row) => {
      const { precision, recall, kappa } = row;
      return { cells: thresholdCells(row, own), precision, recall, kappa };
    }),
    best: rows.findIndex(({ threshold }) => threshold === own.best),
    // The page doesn't render Markdown.
    words: bestThresholdSentence(own).replaceAll('`', ''),
  };
}

function isIn({ judge, assertion, turn }: LabeledItem, row: AgreementRow): boolean {
  if (judge !== row.judge || (turn === undefined) !== (row.of === 'cases')) return false;
  return row.assertion === undefined || row.assertion.key === assertion.key;
}

function shownItem(item: LabeledItem): AgreementSnapshot['disagreements'][number] {
  const { turn, assertion, judge, status, labels, standing } = item;
  const place = turn === undefined ? caseTitle(item) : `${caseTitle(item)}, turn ${turn}`;
  return {
    about: `${place}, ${visibleLine(assertion.name)}`,
    judge: visibleLine(judge),
    status,
    said: labels.map(({ person, status: own, comment }) => ({
      person,
      words: LABEL_WORDS[own],
      comment,
    })),
    mark: VALIDITY_WORDS[standing] || undefined,
  };
}
