"""Runs DeepEval's eleven multi-turn metrics on one conversation against a local endpoint.

Standard input, JSON: base_url, turns (role, content, contexts, tools), role, topics, tools, outcome.
The server counts requests. Each metric's requests have its name in the field `user`. Standard output: one
JSON line with the version of DeepEval and the error of each metric that failed.
"""

import json
import os
import sys

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"

import deepeval
from deepeval import metrics
from deepeval.models import GPTModel
from deepeval.test_case import ConversationalTestCase, ToolCall, Turn


def tool_calls(names):
    return [ToolCall(name=name) for name in names]


def turn_of(turn):
    if turn["role"] == "user":
        return Turn(role="user", content=turn["content"])
    return Turn(
        role="assistant",
        content=turn["content"],
        retrieval_context=turn["contexts"] or None,
        tools_called=[
            ToolCall(name=call["name"], input_parameters=call["input"], output=call["output"])
            for call in turn["tools"]
        ]
        or None,
    )


def metrics_of(case):
    available = tool_calls(case["tools"])
    return {
        "conversation-completeness": (metrics.ConversationCompletenessMetric, {}),
        "turn-relevancy": (metrics.TurnRelevancyMetric, {}),
        "knowledge-retention": (metrics.KnowledgeRetentionMetric, {}),
        "role-adherence": (metrics.RoleAdherenceMetric, {}),
        "topic-adherence": (metrics.TopicAdherenceMetric, {"relevant_topics": case["topics"]}),
        "goal-accuracy": (metrics.GoalAccuracyMetric, {}),
        "tool-use": (metrics.ToolUseMetric, {"available_tools": available}),
        "turn-faithfulness": (metrics.TurnFaithfulnessMetric, {}),
        "turn-contextual-relevancy": (metrics.TurnContextualRelevancyMetric, {}),
        "turn-contextual-precision": (metrics.TurnContextualPrecisionMetric, {}),
        "turn-contextual-recall": (metrics.TurnContextualRecallMetric, {}),
    }


def main():
    case = json.load(sys.stdin)
    test_case = ConversationalTestCase(
        turns=[turn_of(turn) for turn in case["turns"]],
        chatbot_role=case["role"],
        expected_outcome=case["outcome"],
    )
    errors = {}
    for name, (metric, options) in metrics_of(case).items():
        model = GPTModel(
            model="gpt-4.1",
            api_key="local",
            base_url=case["base_url"],
            generation_kwargs={"user": name},
        )
        try:
            metric(model=model, **options).measure(test_case, _show_indicator=False)
        except Exception as error:
            errors[name] = f"{type(error).__name__}: {error}"
    print(json.dumps({"version": deepeval.__version__, "errors": errors}))


main()
