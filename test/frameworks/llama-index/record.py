import asyncio

import shop
from openinference.instrumentation import using_session
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

LlamaIndexInstrumentor().instrument(tracer_provider=shop.tracer_provider())

from agent import app
from llama_index.core.workflow import Context


async def main():
    context = Context(app)
    with using_session("shop-1"):
        for text in shop.USER_TEXTS:
            await app.run(text, ctx=context)


asyncio.run(main())
