import os

# Every span contains the graph's state, so long attributes are cut; the messages have their own attributes.
os.environ["OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT"] = "1000"

import shop
from agent import app
from langchain_core.messages import convert_to_openai_messages, messages_to_dict
from openinference.instrumentation.langchain import LangChainInstrumentor

LangChainInstrumentor().instrument(tracer_provider=shop.tracer_provider())

config = {"configurable": {"thread_id": "shop-1"}}
for text in shop.USER_TEXTS:
    state = app.invoke({"messages": [{"role": "user", "content": text}]}, config)

shop.write("messages.json", [one.model_dump(mode="json") for one in state["messages"]])
shop.write("messages-to-dict.json", messages_to_dict(state["messages"]))
shop.write("openai-messages.json", convert_to_openai_messages(state["messages"]))
