import * as vscode from 'vscode';
import { visibleLine } from '../../core/text/visibleText.ts';

interface OfCase {
  readonly uri: vscode.Uri;
  readonly id: string;
  /** Which of its conversations, where the case stands for several. */
  readonly variant?: string;
}

interface CaseData extends OfCase {
  readonly kind: 'case';
  /** How many times it runs; of a case that stands for several conversations, each of them does. */
  readonly times: number;
  /** What its several conversations are found by, where it stands for several. */
  readonly several?: string;
}

/** One of the conversations that a case stands for. */
interface VariantData extends OfCase {
  readonly kind: 'variant';
  readonly variant: string;
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
  | VariantData
  | RepeatedData;

/** VS Code takes no blanks in tags. */
export function tagOf(tag: string): vscode.TestTag {
  return new vscode.TestTag(visibleLine(tag).replaceAll(' ', '-'));
}
