import asyncio

import shop
from agents import Agent, Runner, function_tool
from openinference.instrumentation import using_session
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

OpenAIAgentsInstrumentor().instrument(tracer_provider=shop.tracer_provider())

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


async def main():
    agent, items = triage, []
    with using_session("shop-1"):
        for text in shop.USER_TEXTS:
            result = await Runner.run(agent, [*items, {"role": "user", "content": text}])
            agent, items = result.last_agent, result.to_input_list()
    shop.write("items.json", items)


asyncio.run(main())
