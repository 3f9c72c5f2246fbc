import { isDeepStrictEqual } from 'node:util';
import { freeNames, groupBy, uniqueBy } from '../core/data/data.ts';
import type { DraftCase, Trial } from './importer.ts';

/** The keys that each conversation of a data set can have for itself. */
const OWN_KEYS = ['role', 'topics', 'tools', 'expectations', 'context'];

/** Joins the recorded trials of each task into one case with several conversations. */
export function joinTrials(cases: readonly DraftCase[]): DraftCase[] {
  const byTask = groupBy(cases, (one) => one.task ?? one);
  return [...byTask.values()].map((group) => {
    const [first] = group;
    return group.length === 1 ? first : joined(group);
  });
}

/** Whether a task's name isn't only an id, such as a UUID. */
function isReadable(name = ''): boolean {
  return !/^[0-9a-f-]{16,}$/i.test(name);
}

function joined(group: readonly [DraftCase, ...DraftCase[]]): DraftCase {
  const [first] = group;
  const isShared = (key: string) =>
    group.every(({ keys }) => isDeepStrictEqual(keys[key], first.keys[key]));
  const names = new Set<string>();
  const free = freeNames(names, (name, number) => `${name}-${number}`);
  const trials = group.map(({ keys, trial = 'trial', feedback = [] }): Trial => {
    const name = names.has(trial) ? free(trial) : trial;
    names.add(name);
    const own = OWN_KEYS.filter((key) => keys[key] !== undefined && !isShared(key));
    const line = {
      id: name,
      ...Object.fromEntries(own.map((key) => [key, keys[key]])),
      messages: keys.transcript,
    };
    return { name, line, feedback };
  });
  const shared = Object.entries(first.keys).filter(([key]) => isShared(key));
  const inAll = (one: unknown) =>
    group.every(({ assert }) => assert.some((other) => isDeepStrictEqual(one, other)));
  return {
    line: first.line,
    name: isReadable(first.task) ? first.task : undefined,
    opening: first.opening,
    keys: Object.fromEntries(shared.filter(([key]) => key !== 'transcript')),
    assert: first.assert.filter(inAll),
    suggestions: uniqueBy(
      group.flatMap(({ suggestions }) => suggestions),
      (one) => JSON.stringify(one),
    ),
    trials,
  };
}
