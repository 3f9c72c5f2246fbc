import asyncio
import os

os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"

import shop

shop.tracer_provider()

from agent import triage
from google.adk.runners import InMemoryRunner
from google.genai import types


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
