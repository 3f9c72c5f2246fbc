import { dirname, relative } from 'node:path';
import { atText } from '../core/at.ts';
import { mappingOf } from '../core/data/data.ts';
import type { StatedAssertion } from '../core/statedAssertion.ts';
import type { Assertion, SuiteCase } from '../core/suite.ts';
import type { CaseFacts } from './contract.ts';
import { questionHash, withoutDefaults } from './questionHash.ts';
import { typeOf } from './registry.ts';
import { writtenGrading } from './shared/grading.ts';

/** A case's assertions as written in their files, without defaults. */
export function stateAssertions(suiteCase: SuiteCase): StatedAssertion[] {
  return suiteCase.assertions.map((one) => stateAssertion(one, suiteCase));
}

function stateAssertion(assertion: Assertion, facts: CaseFacts): StatedAssertion {
  const { key, index, type, name, source, nested = [], prompt, params } = assertion;
  const grading = prompt?.grading ?? writtenGrading(params);
  return {
    key,
    questionHash: questionHash(assertion, facts),
    index,
    type,
    name,
    path: source.path,
    line: source.range.start.line + 1,
    summary: typeOf(assertion).summary,
    keys: Object.entries(writtenKeys(assertion)).map(([written, value]) => ({
      key: written,
      text: textOf(value),
    })),
    ...(grading?.kind === 'labels' && { labels: grading.labels }),
    nested: nested.map((one) => stateAssertion(one.assertion, facts)),
  };
}

function writtenKeys({ type, params, source, prompt, negate, at }: Assertion) {
  const { path, ...own } = withoutDefaults(typeOf({ type }), mappingOf(withoutNested(params)));
  return {
    // Here, a script's path is absolute.
    ...(typeof path === 'string' && { path: `./${relative(dirname(source.path), path)}` }),
    ...own,
    ...(prompt && own.prompt !== undefined && { 'prompt text': prompt.body.trim() }),
    ...(negate && { negate }),
    ...(at.kind !== 'all' && { at: atText(at) }),
  };
}

/** Removes nulls, which stand in for nested assertions: those are listed separately. */
function withoutNested(value: unknown): unknown {
  if (Array.isArray(value)) {
    const kept = value.filter((one) => one !== null);
    return kept.length > 0 || value.length === 0 ? kept : null;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const kept = withoutNested(inner);
      return kept === null ? [] : [[key, kept]];
    }),
  );
}

/** Maximum length of JSON on one line. */
const ONE_LINE = 60;

/** `- Greet the customer` for each string in a list; JSON for anything deeper. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    return value.map((one) => `- ${one}`).join('\n');
  }
  const line = JSON.stringify(value);
  return line.length <= ONE_LINE ? line : JSON.stringify(value, null, 2);
}
