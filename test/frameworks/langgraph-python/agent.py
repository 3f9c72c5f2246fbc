import shop
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph_swarm import create_handoff_tool, create_swarm

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
