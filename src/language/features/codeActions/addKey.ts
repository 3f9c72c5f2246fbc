import type { CodeAction, Diagnostic } from 'vscode-languageserver-types';
import { evalFileSchema } from '../../../evalfile/schema.ts';
import { addKeys } from '../../../yaml/edits.ts';
import type { EvalDocument } from '../../ports.ts';
import { dataOf, editsIn, quickFix } from './actions.ts';
import { placeholder } from './placeholder.ts';

/** Adds the key that a mapping lacks, with a value to begin from. */
export function addMissingKey(
  uri: string,
  { yaml, suite }: EvalDocument,
  diagnostic: Diagnostic,
): CodeAction[] {
  const add = dataOf(diagnostic)?.fix?.add;
  if (!add) return [];
  const ids = suite.outline.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const value = add.value ?? placeholder(evalFileSchema, yaml.value, [...add.to, add.key], ids);
  const edit = addKeys(yaml, add.to, { [add.key]: value });
  return edit ? [quickFix(`Add "${add.key}"`, diagnostic, editsIn(uri, [edit]))] : [];
}
