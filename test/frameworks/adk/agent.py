import json

import shop
from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm


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
