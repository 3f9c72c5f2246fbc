import json

import shop
from openai import OpenAI
from traceloop.sdk import Traceloop
from traceloop.sdk.decorators import agent, tool, workflow

Traceloop.init(
    app_name="shop",
    exporter=shop.file_exporter(shop.OUT / "traces.jsonl"),
    disable_batch=True,
    telemetry_enabled=False,
)
Traceloop.set_association_properties({"session_id": "shop-1"})
client = OpenAI()


def transfer_to_refunds():
    return json.dumps({"assistant": "refunds"})


TOOLS = {
    "triage": {
        "find_order": (shop.find_order, "order"),
        "check_stock": (shop.check_stock, "item"),
        "transfer_to_refunds": (transfer_to_refunds, None),
    },
    "refunds": {"refund": (shop.refund, "item")},
}


def definition(name, parameter):
    names = [parameter] if parameter else []
    return {
        "type": "function",
        "function": {
            "name": name,
            "parameters": {
                "type": "object",
                "properties": {one: {"type": "string"} for one in names},
                "required": names,
            },
        },
    }


def run(function, name, arguments):
    return tool(name=name)(function)(**arguments)


def act(name, messages):
    """Calls an agent until it has answered or handed over."""

    @agent(name=name)
    def reply():
        while True:
            answer = client.chat.completions.create(
                model=shop.MODEL,
                messages=[{"role": "system", "content": shop.instructions(name)}, *messages],
                tools=[definition(one, parameter) for one, (_, parameter) in TOOLS[name].items()],
            )
            message = answer.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return name
            for call in message.tool_calls:
                function, _ = TOOLS[name][call.function.name]
                result = run(function, call.function.name, json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
            if message.tool_calls[0].function.name == "transfer_to_refunds":
                return act("refunds", messages)

    return reply()


@workflow(name="shop_turn")
def turn(name, messages, text):
    messages.append({"role": "user", "content": text})
    return act(name, messages)


name, messages = "triage", []
for text in shop.USER_TEXTS:
    name = turn(name, messages, text)
shop.write("messages.json", messages)
