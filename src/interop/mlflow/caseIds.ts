import { sha256 } from '../../core/data/digest.ts';

/** Names that Windows has for devices. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

const LONGEST = 64;

/**
 * Ids of cases, which are names of files too: the session's own where it can be one, else its words and
 * a digest, so that the same session has the same id every time.
 */
export class CaseIds {
  /** In small letters, as some disks take them; the list of the cases stands beside them. */
  readonly #taken = new Set(['cases']);

  idFor(session: string): string {
    const plain = session
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .replace(/[^A-Za-z0-9]+$/, '');
    const isSame = plain === session && plain.length <= LONGEST && !DEVICES.test(plain);
    const id =
      isSame && !this.#taken.has(plain.toLowerCase())
        ? plain
        : `${plain.slice(0, LONGEST - 20) || 'session'}-${sha256(session).slice(0, 12)}`;
    this.#taken.add(id.toLowerCase());
    return id;
  }
}
