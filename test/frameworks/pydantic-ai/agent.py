import shop
from pydantic_ai import Agent

refunds = Agent(
    f"openai-chat:{shop.MODEL}",
    name="refunds",
    instructions=shop.instructions("refunds"),
    tools=[shop.refund],
)
triage = Agent(
    f"openai-chat:{shop.MODEL}",
    name="triage",
    instructions=shop.instructions("triage"),
    tools=[shop.find_order, shop.check_stock],
)


@triage.tool_plain
async def ask_refunds(request: str) -> str:
    """Have the refunds agent do something."""
    return (await refunds.run(request)).output
