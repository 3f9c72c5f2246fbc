import { nearest } from '../../core/closest.ts';
import { mentionsEnv } from '../../core/environment.ts';
import { renderTemplate, templateVariables } from '../../core/template.ts';
import { pieceRange } from '../../yaml/scalarText.ts';
import { placeOf, type Scope, type Spot, within } from '../scope.ts';

/** Fills `{{name}}` in a case's own texts from its `context`, at every depth of a value. */
export function fillIn<Value>(
  value: Value,
  context: Readonly<Record<string, unknown>>,
  spot: Spot,
  scope: Scope,
): Value {
  if (typeof value === 'string') return fillText(value, context, spot, scope) as Value;
  if (Array.isArray(value)) {
    return value.map((item, index) => fillIn(item, context, within(spot, index), scope)) as Value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    fillIn(inner, context, within(spot, key), scope),
  ]);
  return Object.fromEntries(entries) as Value;
}

function fillText(
  text: string,
  context: Readonly<Record<string, unknown>>,
  spot: Spot,
  scope: Scope,
): string {
  if (mentionsEnv(text)) {
    const message =
      'Environment variables can stand in models and targets only: what is said in a conversation must not depend on the machine.';
    scope.reporter.say('env-not-allowed', message, placeOf(spot), spot.owner);
  }
  const known = Object.keys(context);
  const unknown = templateVariables(text).filter(({ name }) => !known.includes(name));
  for (const { name, offset, length } of unknown) {
    const [meant, ...others] = nearest(name, known.filter(canBeVariable));
    const names = known.length === 0 ? 'The case has no `context`.' : `It has ${known.join(', ')}.`;
    const hint = meant ? `Did you mean {{${meant}}}?` : names;
    const message = `{{${name}}} is no key of the case's \`context\`. ${hint}`;
    const range = pieceRange(spot.document, spot.path, offset, length);
    scope.reporter.say(
      'unknown-variable',
      message,
      range ? { path: spot.document.path, range } : placeOf(spot),
      spot.owner,
      {
        ...(range && meant !== undefined && { replacement: `{{${meant}}}` }),
        ...(range &&
          others.length > 0 && {
            fix: { alternatives: others.map((other) => `{{${other}}}`) },
          }),
      },
    );
  }
  if (unknown.length > 0) return text;
  return renderTemplate(text, (name) => textual(context[name]));
}

/** Other keys are for the target: braces cannot name them. */
function canBeVariable(name: string): boolean {
  return templateVariables(`{{${name}}}`)[0]?.name === name;
}

function textual(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
