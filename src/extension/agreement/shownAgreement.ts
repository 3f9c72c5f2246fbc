import type { Agreement, AgreementRow, LabelledItem } from '../../analysis/agreement.ts';
import type { LabelledRuns } from '../../analysis/readAgreement.ts';
import { caseTitle } from '../../core/presentation/executionTitle.ts';
import { LABEL_WORDS } from '../../core/presentation/opinionText.ts';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import { STANDING_WORDS } from '../../core/record/label.ts';
import type { ShownAgreement } from '../../protocol/agreementProtocol.ts';
import { cells, HEAD, MEANING, notesOf } from '../../report/findings/agreementReport.ts';

/** Disagreements that are listed; the others are counted. */
export const LISTED = 1000;

/** As many mistakes in files of labels are told. */
const PROBLEMS = 20;

/** What the view shows of the agreement that was computed. @param shownPath what is shown of a path */
export function shownAgreement(
  { rows, disagreements, unmatched }: Agreement,
  { labels, problems }: Pick<LabelledRuns, 'labels' | 'problems'>,
  shownPath: (path: string) => string,
): ShownAgreement {
  const listed = disagreements.slice(0, LISTED);
  return {
    phase: 'done',
    labels: labels.length,
    head: HEAD,
    meaning: MEANING,
    rows: rows.map((row) => ({
      cells: cells(row),
      confusion: row.confusion,
      disagreements: listed.flatMap((item, index) => (isIn(item, row) ? [index] : [])),
    })),
    notes: notesOf({ rows, disagreements, unmatched }),
    problems: problems
      .slice(0, PROBLEMS)
      .map(({ path, line, message }) =>
        [shownPath(path), ...(line === undefined ? [] : [line]), ` ${message}`].join(':'),
      ),
    disagreements: listed.map(shownItem),
    more: disagreements.length - listed.length,
  };
}

function isIn({ judge, assertion, turn }: LabelledItem, row: AgreementRow): boolean {
  if (judge !== row.judge || (turn === undefined) !== (row.of === 'cases')) return false;
  return row.assertion === undefined || row.assertion.key === assertion.key;
}

function shownItem(item: LabelledItem): ShownAgreement['disagreements'][number] {
  const { turn, assertion, judge, status, labels, standing } = item;
  const mark = STANDING_WORDS[standing];
  return {
    about: [
      caseTitle(item),
      ...(turn === undefined ? [] : [`turn ${turn}`]),
      visibleLine(assertion.name),
    ].join(', '),
    judge: visibleLine(judge),
    status,
    said: labels.map(({ person, status: own, comment }) => ({
      person,
      words: LABEL_WORDS[own],
      ...(comment !== undefined && { comment }),
    })),
    ...(mark !== '' && { mark }),
  };
}
