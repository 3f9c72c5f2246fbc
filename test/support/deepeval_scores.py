"""Scores the given verdicts with the formulas of DeepEval's own metrics, without asking a model.

Standard input: a JSON list of {metric, options, verdicts}. Standard output: one JSON line with
DeepEval's version and the scores, in the same order.
"""

import json
import os
import sys
from types import SimpleNamespace

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"

import deepeval
from deepeval import metrics
from deepeval.models import GPTModel

NEEDED = {
    "TopicAdherenceMetric": {"relevant_topics": ["orders"]},
    "ToolUseMetric": {"available_tools": []},
}


def said(verdicts):
    return [SimpleNamespace(verdict=verdict, reason=None) for verdict in verdicts]


def scores(values):
    return [SimpleNamespace(score=value) for value in values]


def metric_of(name, options):
    model = GPTModel(model="gpt-4.1", api_key="none")
    given = {**NEEDED.get(name, {}), **options}
    return getattr(metrics, name)(model=model, include_reason=False, **given)


def mean_of_turns(metric, one, verdicts):
    return metric._calculate_score(scores([one(said(turn)) for turn in verdicts]))


def score_of(name, options, verdicts):
    metric = metric_of(name, options)
    if name == "RoleAdherenceMetric":
        metric.out_of_character_verdicts = SimpleNamespace(
            verdicts=[None] * verdicts["out_of_character"]
        )
        return metric._calculate_score(
            [SimpleNamespace(role="assistant")] * verdicts["replies"]
        )
    if name == "TurnFaithfulnessMetric":
        one = lambda turn: metric._get_interaction_score_and_reason(turn, False)[0]
        return mean_of_turns(metric, one, verdicts)
    if name == "TurnContextualPrecisionMetric":
        return mean_of_turns(metric, metric._calculate_interaction_score, verdicts)
    if name in ("ToolUseMetric", "MultiTurnMCPUseMetric"):
        return metric._calculate_score(
            scores(verdicts["selection"]), scores(verdicts["arguments"])
        )
    if name == "GoalAccuracyMetric":
        return metric._calculate_score(
            scores(verdicts["goals"]), scores(verdicts["plans"])
        )
    if name == "TopicAdherenceMetric":
        return metric._get_score(*[[verdicts[key]] for key in ("TP", "TN", "FP", "FN")])
    if name == "MCPTaskCompletionMetric":
        return metric._calculate_score(scores(verdicts["tasks"]))
    metric.verdicts = said(verdicts)
    return metric._calculate_score()


rows = json.load(sys.stdin)
found = [score_of(row["metric"], row.get("options", {}), row["verdicts"]) for row in rows]
print(json.dumps({"version": deepeval.__version__, "scores": found}))
