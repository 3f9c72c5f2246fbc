/** Our name for something that another tool calls otherwise. */
export interface ForeignName {
  readonly meant: string;
  /** Further keys needed to mean the same, such as `ignore_case: true`. */
  readonly beside?: Readonly<Record<string, boolean>>;
  /** Where another value stands there as well: the entries that say the same, the first for `meant`. */
  readonly instead?: Readonly<Record<string, unknown>>;
  /** A sentence for the person who wrote it. */
  readonly message: string;
}

/** A value for one of another kind, to be looked over: what it adds is a proposal. */
export interface MeantValue {
  readonly meant: unknown;
  readonly message: string;
}

/** What other tools call the keys and values of a schema. */
export interface ForeignNames {
  /**
   * @param known the keys that can stand there
   * @param value what stands under it
   */
  ofKey(written: string, known: readonly string[], value: unknown): ForeignName | undefined;
  /**
   * What to do about a key that nothing here corresponds to, as a sentence.
   *
   * @param known the keys that can stand there
   */
  withoutOurs(written: string, known: readonly string[]): string | undefined;
  /** @param known the values that can stand under the key */
  ofValue(written: string, key: string, known: readonly string[]): ForeignName | undefined;
  /** What a value of another kind than is wanted under a key stands for. */
  ofKind(written: unknown, key: string): MeantValue | undefined;
}
