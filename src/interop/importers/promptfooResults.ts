import { isMapping, type Mapping, mappingOf, parseJsonText, textIn } from '../../core/data/data.ts';
import { looksLikeMessages } from '../../messages/readMessages.ts';
import { caseFromList } from '../conversation.ts';
import type { Feedback } from '../feedback.ts';
import { listIn } from '../fields.ts';
import type { DraftCase, Importer, Ledger } from '../importer.ts';
import { promptfooAssertions } from './promptfoo.ts';

/** Who graded, unless a person did. */
const GRADER = 'promptfoo';
const PERSON = 'promptfoo-user';

/** The results of promptfoo's runs, as written by `promptfoo eval --output` and `promptfoo export`. */
export const promptfooResults: Importer = {
  name: 'promptfoo results',
  takes: 'JSON with `results.results`',
  tag: 'promptfoo',
  matches: (value) => resultsIn(value) !== undefined,
  read(rows, ledger) {
    const wholes = rows.map(({ value }) => mappingOf(value));
    return {
      cases: rows.flatMap(({ line, value }) =>
        (resultsIn(value) ?? []).flatMap((one) => caseFor(line, mappingOf(one), ledger) ?? []),
      ),
      versions: wholes.flatMap(({ results }) => {
        const version = textIn(mappingOf(results), 'version');
        return version === undefined ? [] : [`version ${version}`];
      }),
      producers: wholes.flatMap(({ metadata }) => {
        const version = textIn(mappingOf(metadata), 'promptfooVersion');
        return version === undefined ? [] : [`promptfoo ${version}`];
      }),
    };
  },
};

function resultsIn(value: unknown): unknown[] | undefined {
  return isMapping(value) && isMapping(value.results)
    ? listIn(value.results, 'results')
    : undefined;
}

function caseFor(line: number, result: Mapping, ledger: Ledger): DraftCase | undefined {
  const test = mappingOf(result.testCase);
  const say = ledger.lostAt(line);
  const number = textIn(result, 'testIdx');
  const name = textIn(test, 'description') ?? (number && `test-${number}`);
  const messages = messagesIn(result);
  if (!messages) {
    const why = textIn(result, 'error') ?? 'It has no prompt or no output.';
    ledger.broken(line, `The result of ${name ?? 'a test'} was left out. ${why}`);
    return undefined;
  }
  const recorded = {
    line,
    name,
    keys: { description: textIn(test, 'description') },
    assert: promptfooAssertions(test.assert, true, say),
    feedback: feedbackFrom(mappingOf(result.gradingResult)),
    task: number && `test-${number}`,
    trial: providerOf(result),
  };
  return caseFromList(messages, recorded, ledger);
}

/** The conversation with a simulated user, or the prompt and the output. */
function messagesIn({ prompt, response }: Mapping): unknown[] | undefined {
  const { output, metadata } = mappingOf(response);
  const simulated = listIn(mappingOf(metadata), 'messages');
  if (simulated && looksLikeMessages(simulated)) return simulated;
  const raw = textIn(mappingOf(prompt), 'raw');
  if (raw === undefined || output === undefined || output === null) return undefined;
  const given = parseJsonText(raw.trim());
  const asked = Array.isArray(given) && looksLikeMessages(given) ? given : [{ user: raw }];
  return [...asked, { assistant: typeof output === 'string' ? output : JSON.stringify(output) }];
}

/** A name for the trial, which is also a variant's name. */
function providerOf({ provider }: Mapping): string | undefined {
  const name = textIn(mappingOf(provider), 'label', 'id');
  return name?.replace(/[^A-Za-z0-9._-]+/g, '-');
}

function feedbackFrom(grading: Mapping): Feedback[] {
  return (listIn(grading, 'componentResults') ?? []).map(mappingOf).map((one) => {
    const assertion = mappingOf(one.assertion);
    const [mapped] = promptfooAssertions([assertion], true, () => {});
    const isPerson = assertion.type === 'human';
    return {
      name:
        textIn(mappingOf(mapped), 'name', 'type') ?? textIn(assertion, 'metric', 'type') ?? 'test',
      value: one.pass ?? one.score,
      comment: textIn(one, 'comment', 'reason'),
      person: isPerson ? PERSON : GRADER,
    };
  });
}
