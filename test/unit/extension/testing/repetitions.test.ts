import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type * as vscode from 'vscode';
import {
  type ItemData,
  PAGE_SIZE,
  Repetitions,
} from '../../../../src/extension/testing/repetitions.ts';

/** A fake test controller that only supports items and their children. */
class Controller {
  made = 0;

  createTestItem(id: string, label: string, uri?: vscode.Uri): vscode.TestItem {
    this.made += 1;
    const children = new Map<string, Record<string, unknown>>();
    const item: Record<string, unknown> = {
      id,
      label,
      uri,
      children: {
        get: (key: string) => children.get(key),
        add(child: Record<string, unknown>) {
          child.parent = item;
          children.set(String(child.id), child);
        },
        delete: (key: string) => children.delete(key),
        [Symbol.iterator]: () => children.entries(),
      },
    };
    return item as unknown as vscode.TestItem;
  }
}

function caseOf(times: number) {
  const controller = new Controller();
  const data = new WeakMap<vscode.TestItem, ItemData>();
  const repetitions = new Repetitions(controller, data);
  const item = controller.createTestItem('refund', 'refund');
  const show = (now: number) => {
    const uri = {} as vscode.Uri;
    data.set(item, { kind: 'case', uri, id: 'refund', times: now });
    repetitions.update(item);
  };
  show(times);
  return { controller, data, repetitions, item, show };
}

const labels = ({ children }: vscode.TestItem) => [...children].map(([, { label }]) => label);

describe('the repetitions of a case', () => {
  it('are not created before the case is expanded', () => {
    const { controller, item } = caseOf(1_000);
    assert.equal(controller.made, 1);
    assert.equal(item.canResolveChildren, true);
  });

  it('are created when the case is expanded', () => {
    const { repetitions, item } = caseOf(3);
    repetitions.expand(item);
    assert.deepEqual(labels(item), ['refund 1/3', 'refund 2/3', 'refund 3/3']);
  });

  it('are grouped in pages if there are many, each created when expanded', () => {
    const { controller, repetitions, item } = caseOf(250);
    repetitions.expand(item);
    assert.deepEqual(labels(item), [
      'refund 1–100/250',
      'refund 101–200/250',
      'refund 201–250/250',
    ]);
    assert.equal(controller.made, 4);
    const last = item.children.get('201');
    assert.ok(last?.canResolveChildren);
    repetitions.expand(last);
    assert.equal(labels(last).length, 50);
    assert.equal(labels(last).at(-1), 'refund 250/250');
  });

  it('are created one by one as outcomes arrive', () => {
    const { controller, data, repetitions, item } = caseOf(1_000);
    const found = repetitions.find(item, 101);
    assert.equal(found?.label, 'refund 101/1000');
    assert.equal(found?.parent?.parent, item);
    assert.equal(repetitions.find(item, 101), found);
    assert.equal(controller.made, 3);
    const known = found && data.get(found);
    assert.ok(known?.kind === 'repetition' && known.repetition === 101);
  });

  it("don't exist beyond the last one", () => {
    const { repetitions, item } = caseOf(3);
    assert.equal(repetitions.find(item, 4), undefined);
  });

  it('are the case itself if it runs once', () => {
    const { repetitions, item } = caseOf(1);
    assert.equal(item.canResolveChildren, false);
    assert.equal(repetitions.find(item, 1), item);
  });

  it('follow edits after they were expanded', () => {
    const { repetitions, item, show } = caseOf(2);
    repetitions.expand(item);
    show(3);
    assert.deepEqual(labels(item), ['refund 1/3', 'refund 2/3', 'refund 3/3']);
    show(1);
    assert.deepEqual(labels(item), []);
    show(PAGE_SIZE + 1);
    assert.deepEqual(labels(item), ['refund 1–100/101', 'refund 101–101/101']);
  });

  it('keep their items if only their number changes', () => {
    const { repetitions, item, show } = caseOf(2);
    const first = repetitions.find(item, 1);
    show(5);
    assert.equal(repetitions.find(item, 1), first);
    assert.equal(first?.label, 'refund 1/5');
  });
});
