import { digestOf } from '../../core/data/digest.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import type { SaidBefore, SuiteCase } from '../../core/suite.ts';
import { unreachable } from '../../core/unreachable.ts';
import type { Exchanges } from '../exchanges.ts';

/** What a record says of a case before it runs: where its conversation comes from and what is known. */
export async function describeCase(
  suiteCase: SuiteCase,
  exchanges: Exchanges,
): Promise<Pick<CaseLine, 'origin' | 'facts' | 'target' | 'input_hash'>> {
  const { origin, role, topics, tools, expectations, context } = suiteCase;
  const target = origin.kind === 'transcript' ? undefined : origin.target;
  const digest = target && (await exchanges.digest(target, suiteCase));
  return {
    origin: origin.kind,
    facts: {
      ...(role !== undefined && { role }),
      topics: [...topics],
      tools: [...tools],
      expectations: { ...expectations },
      context: { ...context },
    },
    ...(target && digest && { target: { name: target.name, type: target.type, digest } }),
    input_hash: digestOf({ input: inputOf(suiteCase), context, tools, target: digest }),
  };
}

/** Of a conversation what is said in it whatever is replied. */
function inputOf({ origin }: SuiteCase): unknown {
  switch (origin.kind) {
    case 'turns': {
      const turns = origin.turns.map(({ user, expected }) => [user, expected]);
      return origin.history ? { history: saidIn(origin.history), turns } : turns;
    }
    case 'simulate': {
      const { opening, model, source: _, ...user } = origin.user;
      return {
        history: origin.history && saidIn(origin.history),
        simulate: { ...user, opening: opening.map((turn) => turn.user) },
        model: model && String((model.written ?? model.params).model),
      };
    }
    case 'transcript':
      return saidIn(origin);
    default:
      return unreachable(origin);
  }
}

function saidIn({ messages }: SaidBefore): unknown {
  return messages.map(({ message, expected }) => [message, expected]);
}
