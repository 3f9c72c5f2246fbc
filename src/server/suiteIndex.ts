import { type LoadedSuite, withoutCases } from '../evalfile/loadedSuite.ts';
import { isEvalFile } from '../protocol/fileNames.ts';

export type SuiteIndex = ReturnType<typeof createSuiteIndex>;

/**
 * Every file of cases as it was read last: who includes and uses what. Paths are absolute.
 *
 * @param onUseChanged called with each file that another begins or ceases to use
 */
export function createSuiteIndex(onUseChanged: (path: string) => void) {
  const known = new Map<string, LoadedSuite>();
  /** The files that use one, by its path. */
  const users = new Map<string, Set<string>>();

  const relate = (user: string, before: readonly string[], after: readonly string[]) => {
    const gone = before.filter((path) => !after.includes(path));
    const come = after.filter((path) => !before.includes(path));
    for (const path of gone) {
      users.get(path)?.delete(user);
      if (users.get(path)?.size === 0) users.delete(path);
    }
    for (const path of come) users.set(path, users.get(path)?.add(user) ?? new Set([user]));
    for (const path of [...gone, ...come]) onUseChanged(path);
  };

  return {
    /** The eval files, without their cases. */
    suites: (): readonly LoadedSuite[] =>
      [...known.values()].filter(({ path }) => isEvalFile(path)),
    usersOf: (path: string): readonly string[] => [...(users.get(path) ?? [])],
    isUsed: (path: string) => users.has(path),
    put(loaded: LoadedSuite): void {
      const before = known.get(loaded.path)?.dependencies ?? [];
      known.set(loaded.path, withoutCases(loaded));
      relate(loaded.path, before, loaded.dependencies);
    },
    delete(path: string): void {
      const before = known.get(path)?.dependencies ?? [];
      known.delete(path);
      relate(path, before, []);
    },
  };
}
