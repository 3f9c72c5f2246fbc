import { LIMITS, readable } from '../../core/limits.ts';
import type { ReadCase, TargetVariant } from '../case/caseSources.ts';
import { report, reportOnKey, topLevelAt, within } from '../scope.ts';

/** The variants of a case's target, from the case or else from the file; empty if the case doesn't call a target. */
export function targetVariantsOf({ input, location }: ReadCase): readonly TargetVariant[] {
  const { file, invalidKeys, options } = location.scope;
  const isLive = input.turns !== undefined || input.simulate !== undefined;
  if (!isLive || invalidKeys.has('variants') || options.target !== undefined) return [];
  const place = input.variants ? within(location, 'variants') : topLevelAt(location, 'variants');
  const written = Object.entries(input.variants ?? file.variants ?? {});
  const of = written.map(([name]) => name);
  if (of.length > LIMITS.targetVariants) {
    const message = `There are ${readable(of.length)} variants; the limit is ${LIMITS.targetVariants}. Remove some.`;
    reportOnKey('too-many-variants', message, place);
    return [];
  }
  if (of.length === 1) {
    const message = `"${of[0]}" is the only variant, so there is nothing to compare it with. Add another one, such as one with the unchanged \`target\`.`;
    reportOnKey('single-variant', message, place, { severity: 'warning' });
  }
  return written.map(([name, changes]) => {
    const own = within(place, name);
    if (Object.keys(changes).length === 0) {
      const message = `The variant "${name}" sets nothing. Add \`target\`, \`model\`, or \`system\`.`;
      const fix = { add: { to: own.path, key: 'target' } };
      report('empty-variant', message, own, { fix, range: own.document.keyRangeOf(own.path) });
    }
    return { name, of, changes, location: own };
  });
}
