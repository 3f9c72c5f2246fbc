import shop
from strands import Agent, tool
from strands.models.openai import OpenAIModel

model = OpenAIModel(model_id=shop.MODEL)
refunds = Agent(
    name="refunds",
    model=model,
    system_prompt=shop.instructions("refunds"),
    tools=[tool(shop.refund)],
    callback_handler=None,
)


@tool
async def ask_refunds(request: str) -> str:
    """Have the refunds agent do something."""
    return str(await refunds.invoke_async(request)).strip()


triage = Agent(
    name="triage",
    model=model,
    system_prompt=shop.instructions("triage"),
    tools=[tool(shop.find_order), tool(shop.check_stock), ask_refunds],
    callback_handler=None,
    trace_attributes={"session.id": "shop-1"},
)
