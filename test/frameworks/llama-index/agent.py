import os

import shop
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.llms.openai import OpenAI

model = OpenAI(
    model=shop.MODEL,
    api_base=os.environ["OPENAI_BASE_URL"],
    additional_kwargs={"stream_options": {"include_usage": True}},
)
refunds = FunctionAgent(
    name="refunds",
    description="Refunds items.",
    llm=model,
    system_prompt=shop.instructions("refunds"),
    tools=[shop.refund],
)
triage = FunctionAgent(
    name="triage",
    description="Helps customers.",
    llm=model,
    system_prompt=shop.instructions("triage"),
    tools=[shop.find_order, shop.check_stock],
)
app = AgentWorkflow([triage, refunds], root_agent="triage")
