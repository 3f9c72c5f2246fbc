import * as z from 'zod';
import { temperatureOf } from '../assertions/questionHash.ts';
import { addTo } from '../core/data/data.ts';
import { canonicalJson } from '../node/hashes.ts';
import { wordsOf } from './ask.ts';
import type { Inquiry, JointInquiry, QuestionInquiry, SingleInquiry } from './inquiries.ts';
import type { NamedQuestion } from './questions.ts';

/** The inquiries, those made one that `together` puts into one request. */
export function joined(inquiries: readonly SingleInquiry[]): Inquiry[] {
  const groups = new Map<string, QuestionInquiry[]>();
  for (const inquiry of inquiries) {
    if (isJoint(inquiry)) addTo(groups, groupKey(inquiry), inquiry);
  }
  return inquiries.flatMap((inquiry): Inquiry[] => {
    const group = isJoint(inquiry) ? (groups.get(groupKey(inquiry)) ?? []) : [];
    const [first, ...rest] = group;
    if (!first || rest.length === 0) return [inquiry];
    return first === inquiry ? [jointInquiry([first, ...rest])] : [];
  });
}

function isJoint(inquiry: SingleInquiry): inquiry is QuestionInquiry {
  return inquiry.kind === 'question' && inquiry.inputs[0].assertion.together === true;
}

/** One request has one judge, asked in one way. */
function groupKey({ inputs: [{ assertion }] }: QuestionInquiry): string {
  const { judge, samples } = assertion;
  return canonicalJson([judge, temperatureOf(assertion), samples]);
}

function jointInquiry(inquiries: readonly [QuestionInquiry, ...QuestionInquiry[]]): JointInquiry {
  const names = new Set<string>();
  const questions = inquiries.map((inquiry) => {
    const name = freeName(nameOf(inquiry), names);
    names.add(name);
    return { name, question: inquiry.question };
  });
  return { kind: 'together', inquiries, questions };
}

/** The assertion's key; criteria that share their question have its name. */
function nameOf({ inputs, question }: QuestionInquiry): string {
  return inputs.length === 1 ? inputs[0].assertion.key : question.name;
}

/** Models take keys of their tools' input of up to 64 characters: letters, digits, `_`, `.` and `-`. */
const LONGEST_NAME = 56;

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const words = wanted.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  const plain = words.slice(0, LONGEST_NAME) || 'question';
  let name = plain;
  for (let count = 2; taken.has(name); count += 1) name = `${plain}-${count}`;
  return name;
}

/** Questions as one: their words one after another, their answers under their names. */
export function askedTogether(questions: readonly NamedQuestion[]) {
  const words = questions.map(
    ({ name, question }) => `=== QUESTION ${name} ===\n${wordsOf(question)}`,
  );
  const names = questions.map(({ name }) => `\`${name}\``).join(', ');
  return {
    name: 'together',
    instructions: [
      ...words,
      `=== END OF QUESTIONS ===\nAnswer each of them under its name: ${names}.`,
    ].join('\n\n'),
    answer: z.object(
      Object.fromEntries(questions.map(({ name, question }) => [name, question.answer])),
    ),
  };
}
