import shop
from agent import triage
from pydantic_ai import Agent
from pydantic_ai.models.instrumented import InstrumentationSettings

Agent.instrument_all(InstrumentationSettings(tracer_provider=shop.tracer_provider()))

messages = []
for text in shop.USER_TEXTS:
    messages = triage.run_sync(text, message_history=messages).all_messages()
