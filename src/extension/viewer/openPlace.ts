import { turnsOf } from '../../core/conversation.ts';
import { statedOf } from '../../core/statedAssertion.ts';
import { unreachable } from '../../core/unreachable.ts';
import type { FromView, Snapshot } from '../../protocol/viewProtocol.ts';
import { reveal } from '../locations.ts';

type Asked = Extract<FromView, { kind: 'open-turn' | 'open-assertion' | 'open-fault' }>;

/** Opens the line of a file that something in the view stands for. */
export async function openPlace(asked: Asked, snapshot: Snapshot): Promise<void> {
  switch (asked.kind) {
    case 'open-turn': {
      const turns = turnsOf(snapshot.conversation);
      const source = turns.find(({ number }) => number === asked.turn)?.source;
      if (source) await reveal(source.path, source.range);
      break;
    }
    case 'open-assertion': {
      const { index } = asked;
      const { verdicts, assertions } = snapshot;
      const verdict = verdicts.find(({ assertion }) => assertion.index === index);
      // The file may have been edited since: what stood there may stand elsewhere now.
      const stated = verdict
        ? statedOf(verdict, assertions)
        : assertions.find((one) => one.index === index);
      const found = stated ?? verdict?.assertion;
      if (!found) break;
      const start = { line: found.line - 1, character: 0 };
      await reveal(found.path, { start, end: start });
      break;
    }
    case 'open-fault': {
      const { fault } = snapshot;
      if (fault) await reveal(fault.path, fault.range);
      break;
    }
    default:
      unreachable(asked);
  }
}
