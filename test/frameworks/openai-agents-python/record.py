import asyncio

import shop
from agent import triage
from agents import Runner
from openinference.instrumentation import using_session
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

OpenAIAgentsInstrumentor().instrument(tracer_provider=shop.tracer_provider())


async def main():
    agent, items = triage, []
    with using_session("shop-1"):
        for text in shop.USER_TEXTS:
            result = await Runner.run(agent, [*items, {"role": "user", "content": text}])
            agent, items = result.last_agent, result.to_input_list()
    shop.write("items.json", items)


asyncio.run(main())
