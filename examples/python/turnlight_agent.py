"""Lets a Python function reply in Turnlight's conversations. Copy this file beside your agent.

    from turnlight_agent import serve

    def reply(messages, context):
        return "You said: " + messages[-1]["content"]

    serve(reply)

The function may be `async`, and takes what it names: `messages`, the conversation so far in OpenAI's chat
format; `case`, the id of the case; `conversation`, an id that no other conversation has, such as for a
session or a row in a database; `context`, the context of the case. It returns a text, a message, a list
of messages, or `{"messages": [...], "retrieval_context": [...], "usage": {...}}`. Whatever it prints goes
to the output of the run. An exception makes the case an error, with its traceback.
"""

import asyncio
import inspect
import json
import os
import sys


def serve(reply):
    """Replies to one request after another, until there are no more."""
    named = inspect.signature(reply).parameters
    with open(os.dup(1), "w", encoding="utf-8", newline="\n") as answers:
        # What anybody prints is a log: a line on stdout would be taken for a reply.
        os.dup2(2, 1)
        loop = asyncio.new_event_loop()
        for line in open(0, encoding="utf-8", newline="\n", closefd=False):
            request = json.loads(line)
            given = {key: value for key, value in request.items() if key in named}
            answer = reply(**given)
            if inspect.isawaitable(answer):
                answer = loop.run_until_complete(answer)
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
        loop.close()


def tool_call(id, name, arguments):
    """A call for `tool_calls` of a message; the result is a message with its id as `tool_call_id`."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": id, "type": "function", "function": function}
