import { type Mapping, memoize } from '../../core/data/data.ts';
import { hasEnvReference } from '../../core/environment.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import { suggestionsOf } from '../../core/problem.ts';
import { nearest } from '../../core/text/closest.ts';
import { truncateList } from '../../core/text/format.ts';
import {
  renderedLength,
  renderTemplate,
  templateVariables,
  tooLong,
} from '../../core/text/template.ts';
import { pieceRanges } from '../../yaml/scalarSpans.ts';
import { type Location, report, within } from '../scope.ts';

/** Fills in `{{name}}` from the case's `context`, at every depth of the value. */
export function fillIn<Value>(value: Value, context: Mapping, location: Location): Value {
  if (typeof value === 'string') return fillText(value, context, location) as Value;
  if (Array.isArray(value)) {
    return value.map((item, index) => fillIn(item, context, within(location, index))) as Value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    fillIn(inner, context, within(location, key)),
  ]);
  return Object.fromEntries(entries) as Value;
}

function fillText(text: string, context: Mapping, location: Location): string {
  if (hasEnvReference(text)) {
    const message =
      "Environment variables work only in models and targets, so that conversations don't depend on the machine.";
    report('env-not-allowed', message, location);
  }
  if (location.scope.invalidKeys.has('context')) return text;
  const unknown = templateVariables(text).filter(({ name }) => !Object.hasOwn(context, name));
  if (unknown.length === 0) return fillKnown(text, context, location);
  const { nameable, names } = knownIn(context);
  const rangeOf = pieceRanges(location.document, location.path);
  for (const { name, offset, length } of unknown) {
    const near = nearest(name, nameable).map((one) => `{{${one}}}`);
    const hint = near[0] === undefined ? names : `Did you mean ${near[0]}?`;
    const message = `The case's \`context\` has no key \`${name}\`. ${hint}`;
    const range = rangeOf(offset, length);
    const details = range && { range, ...suggestionsOf(near) };
    report('unknown-variable', message, location, details);
  }
  return text;
}

/** The keys of `context` that a misspelled variable could mean, and a sentence that names them. */
const knownIn = memoize((context: Mapping) => {
  const known = Object.keys(context);
  const nameable = known.slice(0, LIMITS.comparedWords).filter(canBeVariable);
  const names =
    known.length === 0
      ? 'Add a `context` or a `matrix` to the case.'
      : `Known: ${truncateList(known)}.`;
  return { nameable, names };
});

/** Fills in the variables that are in `context`. Only a case's first text that exceeds a limit is reported. */
export function fillKnown(text: string, context: Mapping, location: Location): string {
  const { room } = location.scope;
  if (room.isExceeded || templateVariables(text).length === 0) return text;
  const lookup = (name: string) => contextText(context[name]);
  const length = renderedLength(text, (name) => lookup(name).length);
  if (length <= Math.min(LIMITS.filled, room.left)) {
    room.left -= length;
    return renderTemplate(text, lookup);
  }
  room.isExceeded = true;
  const message = length > LIMITS.filled ? tooLong(length, LIMITS.filled) : TOO_MANY;
  report('text-too-large', message, location);
  return text;
}

const TOO_MANY = `With their variables filled in, the texts have too many characters; the limit is ${readable(LIMITS.filledCase)} per case and ${readable(LIMITS.filledSuite)} per suite. Shorten the texts, or split the file.`;

/** Whether text still contains variables. If so, they have already been reported. */
export function isUnfilled(text: string): boolean {
  return hasEnvReference(text) || templateVariables(text).length > 0;
}

/** Whether a key can be used as a variable. Other keys are only for the target. */
function canBeVariable(name: string): boolean {
  return templateVariables(`{{${name}}}`)[0]?.name === name;
}

export function contextText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
