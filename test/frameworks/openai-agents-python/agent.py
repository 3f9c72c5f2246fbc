import shop
from agents import Agent, function_tool

refunds = Agent(
    name="refunds",
    instructions=shop.instructions("refunds"),
    model=shop.MODEL,
    tools=[function_tool(shop.refund)],
)
triage = Agent(
    name="triage",
    instructions=shop.instructions("triage"),
    model=shop.MODEL,
    tools=[function_tool(shop.find_order), function_tool(shop.check_stock)],
    handoffs=[refunds],
)
