"""Has conversations with a local endpoint, and lets DeepEval judge each one by criteria.

`deepeval_load.py FILE`, JSON: baseUrl, concurrency, conversations (lists of user messages), and
criteria (name, text). Each criterion takes one request, since its steps are given.
"""

import asyncio
import json
import sys

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, DisplayConfig
from deepeval.metrics import ConversationalGEval
from deepeval.models import GPTModel
from deepeval.test_case import ConversationalTestCase, MultiTurnParams, Turn
from openai import AsyncOpenAI


async def converse(client, limit, questions):
    async with limit:
        messages = []
        for question in questions:
            messages.append({"role": "user", "content": question})
            reply = await client.chat.completions.create(model="bench", messages=messages)
            messages.append({"role": "assistant", "content": reply.choices[0].message.content})
        return ConversationalTestCase(turns=[Turn(**message) for message in messages])


async def converse_all(load):
    client = AsyncOpenAI(base_url=load["baseUrl"])
    limit = asyncio.Semaphore(load["concurrency"])
    return await asyncio.gather(
        *(converse(client, limit, questions) for questions in load["conversations"])
    )


def main():
    with open(sys.argv[1]) as file:
        load = json.load(file)
    model = GPTModel(model="gpt-4.1", base_url=load["baseUrl"])
    metrics = [
        ConversationalGEval(
            name=criterion["name"],
            evaluation_params=[MultiTurnParams.ROLE, MultiTurnParams.CONTENT],
            evaluation_steps=[criterion["text"]],
            model=model,
        )
        for criterion in load["criteria"]
    ]
    evaluate(
        test_cases=asyncio.run(converse_all(load)),
        metrics=metrics,
        async_config=AsyncConfig(max_concurrent=load["concurrency"]),
        display_config=DisplayConfig(
            show_indicator=False, print_results=False, inspect_after_run=False
        ),
    )


main()
