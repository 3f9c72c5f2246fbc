"""Lets a Python function reply in Turnlight's conversations. Copy this file next to your agent.

    from turnlight_agent import serve

    def reply(messages, context):
        return "You said: " + messages[-1]["content"]

    serve(reply)

With `ready: true` on the target, call `serve(reply, ready=True)` after everything that is slow to import or
load. With `worker: true`, one process serves many conversations at the same time: an `async` function runs for
all of them in one loop, any other function in a thread per request, so shared data must be thread-safe.

The function may be `async`. Declare the parameters that you need: `messages`, the conversation so far in
OpenAI's chat format; `case`, the id of the case; `conversation`, an id that differs for every conversation,
such as for a session or a row in a database; `context`, the context of the case. It returns a text, a
message, a list of messages, or `{"messages": [...], "retrieval_context": [...], "usage": {...}}`. Everything
that it prints goes to the output of the run. An exception makes the case an error, with its traceback.
"""

import asyncio
import inspect
import json
import os
import traceback
from concurrent.futures import ThreadPoolExecutor

THREADS = 64


def serve(reply, ready=False):
    """Replies to requests until the input ends: one after another or, as a worker, many at once."""
    with open(os.dup(1), "w", encoding="utf-8", newline="\n") as answers:
        # Everything that is printed becomes a log, because a line on stdout would be taken for a reply.
        os.dup2(2, 1)

        def give(answer):
            answers.write(json.dumps(answer) + "\n")
            answers.flush()

        if ready:
            give({"ready": True})
        asyncio.run(_serve(reply, give))


async def _serve(reply, give):
    named = inspect.signature(reply).parameters
    loop = asyncio.get_running_loop()
    requests = open(0, encoding="utf-8", newline="\n", closefd=False)
    running = set()

    async def answer(request):
        given = {key: value for key, value in request.items() if key in named}
        if "id" in request and not inspect.iscoroutinefunction(reply):
            said = await loop.run_in_executor(threads, lambda: reply(**given))
        else:
            said = reply(**given)
        return await said if inspect.isawaitable(said) else said

    async def answer_by_id(request):
        try:
            said = await answer(request)
            if isinstance(said, str):
                said = {"content": said}
            elif isinstance(said, list):
                said = {"messages": said}
            give({**said, "id": request["id"]})
        except Exception:
            # The other conversations continue.
            traceback.print_exc()
            give({"id": request["id"], "error": traceback.format_exc()})

    with ThreadPoolExecutor(THREADS) as threads:
        while line := await loop.run_in_executor(None, requests.readline):
            request = json.loads(line)
            if "id" in request:
                task = loop.create_task(answer_by_id(request))
                running.add(task)
                task.add_done_callback(running.discard)
            elif "end" not in request:
                give(await answer(request))


def tool_call(id, name, arguments):
    """A call for `tool_calls` of a message; the result is a message with its id as `tool_call_id`."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": id, "type": "function", "function": function}
