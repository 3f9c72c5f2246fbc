import asyncio
import json
import os

os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"

import shop

shop.tracer_provider()

from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from google.genai import types


def find_order(order: str) -> dict:
    """Find an order by its number."""
    return json.loads(shop.find_order(order))


def check_stock(item: str) -> dict:
    """Count an item in stock."""
    return json.loads(shop.check_stock(item))


def refund(item: str) -> dict:
    """Refund an item of the last order."""
    return json.loads(shop.refund(item))


model = LiteLlm(model=f"openai/{shop.MODEL}")
refunds = LlmAgent(
    name="refunds",
    description="Refunds items.",
    model=model,
    instruction=shop.instructions("refunds"),
    tools=[refund],
)
triage = LlmAgent(
    name="triage",
    model=model,
    instruction=shop.instructions("triage"),
    tools=[find_order, check_stock],
    sub_agents=[refunds],
)


async def main():
    runner = InMemoryRunner(triage, app_name="shop")
    await runner.session_service.create_session(
        app_name="shop", user_id="u", session_id="shop-1"
    )
    for text in shop.USER_TEXTS:
        message = types.Content(role="user", parts=[types.Part(text=text)])
        async for _ in runner.run_async(user_id="u", session_id="shop-1", new_message=message):
            pass


asyncio.run(main())
