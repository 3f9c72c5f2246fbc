import { assertionTypes } from '../assertions/registry.ts';
import { isMapping, type Mapping } from '../core/data/data.ts';
import { assertionSchema } from '../evalfile/assertion/assertionSchema.ts';
import { foreignNames } from '../evalfile/foreignNames.ts';
import { keysAt } from '../schema/schemaWalk.ts';

const OUR_TYPES = assertionTypes.map(({ type }) => type);

/** Another tool's check as an assertion of ours, and what of it could not be said. */
export interface Mapped {
  /** Absent where there is nothing like it. */
  readonly assertion?: Mapping;
  /** Sentences, such as `` `windowSize` of "conversation-relevance" has no counterpart. `` */
  readonly lost: readonly string[];
}

/**
 * Maps a check by the table of other tools' names, the same by which the editor tells them.
 *
 * @param given with the type under `type`, and keys that are ours or the other tool's
 */
export function ourAssertion(given: Mapping): Mapped {
  const { type: written, ...rest } = given;
  const name = String(written);
  const foreign = foreignNames.ofValue(name, 'type', OUR_TYPES);
  const type = foreign?.meant ?? name;
  if (!OUR_TYPES.includes(type)) return { lost: [`"${name}" has no counterpart.`] };
  const lost: string[] = [];
  const assertion: Record<string, unknown> = { type, ...foreign?.beside };
  const known = keysAt(assertionSchema, { type }, []);
  for (const [key, value] of Object.entries(rest)) {
    if (value === undefined || value === null) continue;
    const free = known.map((one) => one.name).filter((one) => !Object.hasOwn(given, one));
    const meant = known.some((one) => one.name === key)
      ? undefined
      : foreignNames.ofKey(key, free, value);
    if (meant?.instead) Object.assign(assertion, meant.instead);
    else if (meant) assertion[meant.meant] = value;
    else if (known.some((one) => one.name === key)) assertion[key] = value;
    else {
      const missing = known.filter((one) => one.required && !Object.hasOwn(assertion, one.name));
      const [only] = missing.filter((one) => !Object.hasOwn(given, one.name));
      // `value` of a `regex`: the one key that is missing here and the one that is unknown.
      if (key === 'value' && only) assertion[only.name] = value;
      else lost.push(`\`${key}\` of "${name}" has no counterpart.`);
    }
  }
  return assertionSchema.safeParse(assertion).success
    ? { assertion, lost }
    : { lost: [`"${name}" cannot be written as \`${type}\`: ${reasonOf(assertion)}`] };
}

function reasonOf(assertion: Mapping): string {
  const { error } = assertionSchema.safeParse(assertion);
  const issue = error?.issues[0];
  const path = issue?.path.map(String).join('.');
  return `${path ? `\`${path}\`: ` : ''}${issue?.message ?? 'it is not valid'}.`;
}

/** Every check of a list; what is lost is told by `say`. */
export function ourAssertions(
  list: readonly unknown[],
  map: (written: Mapping) => Mapped | readonly unknown[],
  say: (message: string) => void,
): unknown[] {
  return list.flatMap((written): readonly unknown[] => {
    if (typeof written === 'string') return written.trim() === '' ? [] : [written];
    if (!isMapping(written)) return [];
    const mapped = map(written);
    if (!('lost' in mapped)) return mapped;
    for (const message of mapped.lost) say(message);
    return mapped.assertion ? [mapped.assertion] : [];
  });
}
