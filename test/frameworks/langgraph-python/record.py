import os

# The state of the graph is in every span; the messages themselves are in attributes of their own.
os.environ["OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT"] = "1000"

import shop
from langchain.agents import create_agent
from langchain_core.messages import convert_to_openai_messages, messages_to_dict
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph_swarm import create_handoff_tool, create_swarm
from openinference.instrumentation.langchain import LangChainInstrumentor

LangChainInstrumentor().instrument(tracer_provider=shop.tracer_provider())

model = ChatOpenAI(model=shop.MODEL)
refunds = create_agent(
    model,
    tools=[shop.refund],
    system_prompt=shop.instructions("refunds"),
    name="refunds",
)
triage = create_agent(
    model,
    tools=[shop.find_order, shop.check_stock, create_handoff_tool(agent_name="refunds")],
    system_prompt=shop.instructions("triage"),
    name="triage",
)
app = create_swarm([triage, refunds], default_active_agent="triage").compile(
    checkpointer=InMemorySaver()
)
config = {"configurable": {"thread_id": "shop-1"}}
for text in shop.USER_TEXTS:
    state = app.invoke({"messages": [{"role": "user", "content": text}]}, config)

shop.write("messages.json", [one.model_dump(mode="json") for one in state["messages"]])
shop.write("messages-to-dict.json", messages_to_dict(state["messages"]))
shop.write("openai-messages.json", convert_to_openai_messages(state["messages"]))
