"""Logs a shop agent's conversations to a tracking server like an application: one trace per turn."""

import json
import sys
import time

import mlflow
from mlflow.entities import AssessmentSource

SYSTEM = "You are a customer support agent for ShopFast. Never promise specific refund timelines."

SESSIONS = {
    "session-order-status": [
        ("Hi, my name is Sarah. Can you check on my order?", "Hello Sarah! What is the order number?"),
        ("It's order number 98765.", "Order 98765 has shipped. Is there anything else?"),
        ("That's all, thank you!", "You are welcome, Sarah!"),
    ],
    "session-frustrated-customer": [
        ("I've been waiting 3 weeks for my refund! Order 44312.", "I am sorry. It will come by Friday."),
        ("You said that last time. When exactly?", "By Friday, I promise."),
        ("This is ridiculous. I want a manager.", "I understand. Is there anything else?"),
    ],
    "session/incomplete": [
        ("Where's order 77210? And I want to return the shoes from it.", "Order 77210 arrives tomorrow."),
        ("And the return?", "Returns are free within 30 days."),
    ],
}

histories = {}


@mlflow.trace(span_type="TOOL")
def lookup_order(order: str) -> str:
    return json.dumps({"order": order, "state": "shipped"})


@mlflow.trace(span_type="RETRIEVER")
def search_policy(question: str):
    return [{"page_content": "Returns are free within 30 days.", "metadata": {"doc_uri": "policy"}}]


@mlflow.trace(span_type="CHAT_MODEL")
def complete(messages, answer, tools=None):
    return {"choices": [{"message": answer}]}


@mlflow.trace(span_type="CHAT_MODEL")
def guard(messages):
    return {"choices": [{"message": {"role": "assistant", "content": "SAFE"}}]}


@mlflow.trace
def chat(message: str, session_id: str, reply: str) -> str:
    mlflow.update_current_trace(metadata={"mlflow.trace.session": session_id})
    history = histories.setdefault(session_id, [{"role": "system", "content": SYSTEM}])
    history.append({"role": "user", "content": message})
    guard([{"role": "system", "content": "Is this safe?"}, {"role": "user", "content": message}])
    if "98765" in message:
        call = {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call-1",
                    "type": "function",
                    "function": {"name": "lookup_order", "arguments": '{"order": "98765"}'},
                }
            ],
        }
        tools = [{"type": "function", "function": {"name": "lookup_order", "parameters": {"type": "object"}}}]
        complete(list(history), call, tools)
        history.append(call)
        history.append({"role": "tool", "tool_call_id": "call-1", "content": lookup_order("98765")})
    if "return?" in message:
        search_policy(message)
    answer = {"role": "assistant", "content": reply}
    complete(list(history), answer)
    history.append(answer)
    return reply


@mlflow.trace
def plain(question: str, session_id: str) -> str:
    mlflow.update_current_trace(metadata={"mlflow.trace.session": session_id})
    return "Echo: " + question


@mlflow.trace
def lonely() -> str:
    return "no session"


def traces(session_id):
    found = mlflow.search_traces(
        locations=[experiment],
        filter_string=f"metadata.`mlflow.trace.session` = '{session_id}'",
        order_by=["timestamp_ms ASC"],
        return_type="list",
    )
    return [trace.info.trace_id for trace in found]


mlflow.set_tracking_uri(sys.argv[1])
experiment = mlflow.set_experiment(sys.argv[2]).experiment_id
fillers = int(sys.argv[3]) if len(sys.argv) > 3 else 0

for session_id, turns in SESSIONS.items():
    for message, reply in turns:
        chat(message, session_id, reply)
        # The server sorts traces by milliseconds.
        time.sleep(0.003)
for number in range(fillers):
    plain(f"Question {number}", f"filler-{number // 10}")
lonely()
mlflow.flush_trace_async_logging()

ann = AssessmentSource(source_type="HUMAN", source_id="ann@example.com")
bob = AssessmentSource(source_type="HUMAN", source_id="../bob")
angry = traces("session-frustrated-customer")
mlflow.log_feedback(
    trace_id=angry[0],
    name="user_frustration",
    value="unresolved",
    rationale="She never got an answer.",
    source=ann,
    metadata={"mlflow.trace.session": "session-frustrated-customer"},
)
mlflow.log_feedback(trace_id=angry[1], name="keeps_to_policy", value=False, rationale="A promise.", source=bob)
mlflow.log_feedback(trace_id=angry[1], name="tone", value="so-so", source=ann)
mlflow.log_expectation(
    trace_id=traces("session/incomplete")[0], name="outcome", value="Both questions are answered.", source=ann
)
print(experiment)
