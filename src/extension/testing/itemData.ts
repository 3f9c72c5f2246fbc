import type * as vscode from 'vscode';

interface OfCase {
  readonly uri: vscode.Uri;
  readonly id: string;
}

interface CaseData extends OfCase {
  readonly kind: 'case';
  /** How many times it runs. */
  readonly times: number;
}

/** A repetition, or a page of them. */
export interface RepeatedData extends OfCase {
  readonly kind: 'page' | 'repetition';
  /** From 1; of a page the first one. */
  readonly repetition: number;
}

/** What a test item stands for. */
export type ItemData =
  | { readonly kind: 'file'; readonly uri: vscode.Uri }
  | CaseData
  | RepeatedData;
