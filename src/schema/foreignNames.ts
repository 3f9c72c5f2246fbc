/** Our name for something that another tool calls otherwise. */
export interface ForeignName {
  readonly meant: string;
  /** Keys that must stand beside it to mean the same, such as `ignore_case: true`. */
  readonly beside?: Readonly<Record<string, boolean>>;
  /** A sentence for the person who wrote it. */
  readonly message: string;
}

/** What other tools call the keys and values of a schema. */
export interface ForeignNames {
  /** @param known the keys that can stand there */
  ofKey(written: string, known: readonly string[]): ForeignName | undefined;
  /** @param known the values that can stand under the key */
  ofValue(written: string, key: string, known: readonly string[]): ForeignName | undefined;
}
