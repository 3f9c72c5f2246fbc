"""Serves a Python agent to Turnlight's conversation evals, as a target of type `command`:

    from turnlight import serve

    def reply(messages, context):
        return "You said: " + messages[-1]["content"]

    serve(reply)

`serve` takes a function, or an agent of the OpenAI Agents SDK, LangGraph, Pydantic AI, Google's ADK, LlamaIndex, or
Strands Agents. It reports the agent's calls, results, system prompt, tools, and usage, and continues each conversation in the framework's own messages.
"""

import asyncio
import inspect
import json
import os
import threading
import traceback
import uuid
from concurrent.futures import ThreadPoolExecutor

__all__ = ["serve", "tool_call"]

MAX_THREADS = 64


def serve(agent, ready=False):
    """Replies to requests until there are no more.

    A function may be `async`. It gets the parameters that it declares: `messages`, the conversation so far in OpenAI's
    chat format; `case`, the id of the case; `conversation`, an id that differs for every repetition, variant, and run;
    `context`, the context of the case; `stream`, a function for each piece of the reply's text as it arrives, or None if
    nobody watches. It returns text, a message, a list of messages, or `{"messages": [...],
    "retrieval_context": [...], "tools": [...], "usage": {...}}`. Printed output is a log. An exception makes the case
    an error, with its traceback.

    Set `ready=True` if the target has `ready: true`, and call `serve` after slow imports. With `worker: true`, async
    functions and agents of frameworks serve all conversations in one event loop; other functions run in threads.
    """
    reply = _adapter(agent)
    with open(os.dup(1), "w", encoding="utf-8", newline="\n") as answers:
        # Turnlight would read other lines on stdout as replies.
        os.dup2(2, 1)

        lock = threading.Lock()

        def send(answer):
            with lock:
                answers.write(json.dumps(answer) + "\n")
                answers.flush()

        if ready:
            send({"ready": True})
        asyncio.run(_serve(reply, send))


def tool_call(id, name, arguments):
    """An entry of a message's `tool_calls`. Its result is a message with `tool_call_id`."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": id, "type": "function", "function": function}


async def _serve(reply, send):
    parameters = inspect.signature(reply).parameters
    loop = asyncio.get_running_loop()
    requests = open(0, encoding="utf-8", newline="\n", closefd=False)
    tasks = set()

    async def answer(request):
        repeated = {"id": request["id"]} if "id" in request else {}
        streams = request.pop("stream", False)
        request["stream"] = (lambda text: send({**repeated, "delta": text})) if streams else None
        arguments = {key: value for key, value in request.items() if key in parameters}
        if "id" in request and not inspect.iscoroutinefunction(reply):
            answered = await loop.run_in_executor(threads, lambda: reply(**arguments))
        else:
            answered = reply(**arguments)
        return await answered if inspect.isawaitable(answered) else answered

    async def answer_by_id(request):
        try:
            answered = await answer(request)
            if isinstance(answered, str):
                answered = {"content": answered}
            elif isinstance(answered, list):
                answered = {"messages": answered}
            send({**answered, "id": request["id"]})
        except Exception:
            # Only this conversation has failed.
            traceback.print_exc()
            send({"id": request["id"], "error": traceback.format_exc()})

    with ThreadPoolExecutor(MAX_THREADS) as threads:
        while line := await loop.run_in_executor(None, requests.readline):
            request = json.loads(line)
            if "id" in request:
                task = loop.create_task(answer_by_id(request))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            elif "end" not in request:
                send(await answer(request))


def _adapter(agent):
    """The function that replies for an agent."""
    packages = {kind.__module__.split(".")[0] for kind in type(agent).__mro__}
    for package, conversation_type in (
        ("agents", _OpenAIAgents),
        ("langgraph", _LangGraph),
        ("pydantic_ai", _PydanticAI),
        ("google", _ADK),
        ("llama_index", _LlamaIndex),
        ("strands", _Strands),
    ):
        if package in packages:
            return _by_conversation(lambda history: conversation_type(agent, history))
    if callable(agent):
        return agent
    raise TypeError(
        f"serve() got {type(agent).__module__}.{type(agent).__qualname__}. Pass a function, or an agent of the OpenAI "
        "Agents SDK, LangGraph, Pydantic AI, ADK, LlamaIndex, or Strands Agents."
    )


def _by_conversation(begin):
    conversations = {}

    async def reply(messages, conversation, stream):
        spoke = [index for index, one in enumerate(messages) if one["role"] in ("assistant", "tool")]
        first_new = spoke[-1] + 1 if spoke else 0
        if conversation not in conversations:
            conversations[conversation] = begin(messages[:first_new])
        return await conversations[conversation].reply(messages[first_new:], conversation, stream)

    return reply


class _Reply:
    """Collects what a conversation's agents did for one reply."""

    def __init__(self, shown_texts, stream):
        self.streams = stream is not None
        self.messages = []
        self.tools = {}
        self.usage = {"calls": 0, "input_tokens": 0, "cached_tokens": 0, "output_tokens": 0}
        self._shown_texts = shown_texts
        self._agents = set()
        self._stream = stream
        self._separator = ""
        self._has_streamed = False

    def begin_text(self):
        """Streams a blank line between two texts."""
        if self._has_streamed:
            self._separator = "\n\n"

    def delta(self, text):
        if self.streams and text:
            self._stream(self._separator + text)
            self._separator = ""
            self._has_streamed = True

    def is_first(self, agent):
        """Whether the agent appears in this reply for the first time."""
        known = id(agent) in self._agents
        self._agents.add(id(agent))
        return not known

    def system_text(self, text):
        if isinstance(text, str) and text.strip() and text not in self._shown_texts:
            self._shown_texts.add(text)
            self.messages.append({"role": "system", "content": text})

    def text(self, text, agent):
        if text:
            self.messages.append({"role": "assistant", "content": text, **_named(agent)})

    def call(self, id, name, arguments, agent):
        call = {"id": id, "type": "function", "function": {"name": name, "arguments": _text(arguments)}}
        self.messages.append(
            {"role": "assistant", "content": None, "tool_calls": [call], **_named(agent)}
        )

    def result(self, id, content):
        self.messages.append({"role": "tool", "tool_call_id": id, "content": _text(content)})

    def tool(self, name, description, parameters):
        tool = {"name": name, "description": description, "parameters": parameters}
        self.tools[name] = {key: value for key, value in tool.items() if value is not None}

    def count(self, calls, input_tokens, cached_tokens, output_tokens):
        counts = (calls, input_tokens, cached_tokens, output_tokens)
        for key, count in zip(self.usage, counts):
            self.usage[key] += count or 0

    def as_json(self):
        usage = {"usage": self.usage} if self.usage["calls"] else {}
        return {"messages": self.messages, "tools": list(self.tools.values()), **usage}


def _named(agent):
    return {"agent": agent} if agent else {}


def _text(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _user_text(messages):
    return "\n\n".join(one["content"] or "" for one in messages)


class _OpenAIAgents:
    def __init__(self, agent, history):
        self._speaker = agent
        self._items = [item for message in history for item in _response_items(message)]
        self._shown_texts = set()

    async def reply(self, messages, conversation, stream):
        from agents import Runner

        reply = _Reply(self._shown_texts, stream)
        added = [item for message in messages for item in _response_items(message)]
        if reply.streams:
            result = Runner.run_streamed(self._speaker, self._items + added)
            async for event in result.stream_events():
                self._add_delta(reply, event)
        else:
            result = await Runner.run(self._speaker, self._items + added)
        if result.interruptions:
            raise RuntimeError("The agent is waiting for a tool call to be approved.")
        self._speaker = result.last_agent
        self._items = result.to_input_list()
        for item in result.new_items:
            if reply.is_first(item.agent):
                await self._describe(reply, item.agent, result.context_wrapper)
            self._add(reply, item)
        usage = result.context_wrapper.usage
        cached = getattr(usage.input_tokens_details, "cached_tokens", 0)
        reply.count(usage.requests, usage.input_tokens, cached, usage.output_tokens)
        return reply.as_json()

    def _add_delta(self, reply, event):
        if event.type == "raw_response_event":
            if event.data.type == "response.created":
                reply.begin_text()
            elif event.data.type == "response.output_text.delta":
                reply.delta(event.data.delta)

    async def _describe(self, reply, agent, context):
        reply.system_text(await agent.get_system_prompt(context))
        for tool in await agent.get_all_tools(context):
            reply.tool(
                tool.name,
                getattr(tool, "description", None),
                getattr(tool, "params_json_schema", None),
            )

    def _add(self, reply, item):
        if item.type == "message_output_item":
            parts = item.to_input_item()["content"]
            texts = [part.get("text") or part.get("refusal") or "" for part in parts]
            reply.text("".join(texts), item.agent.name)
        elif item.type in ("tool_call_item", "handoff_call_item"):
            call = item.to_input_item()
            if "call_id" in call and "name" in call:
                arguments = call.get("arguments") or "{}"
                reply.call(call["call_id"], call["name"], arguments, item.agent.name)
        elif item.type in ("tool_call_output_item", "handoff_output_item"):
            output = item.to_input_item()
            reply.result(output["call_id"], output["output"])


def _response_items(message):
    """A chat message as items of OpenAI's Responses API."""
    if message["role"] == "tool":
        call_id = message["tool_call_id"]
        return [{"type": "function_call_output", "call_id": call_id, "output": message["content"]}]
    calls = [
        {"type": "function_call", "call_id": call["id"], **call["function"]}
        for call in message.get("tool_calls") or []
    ]
    content = message["content"]
    return ([{"role": message["role"], "content": content}] if content else []) + calls


class _LangGraph:
    def __init__(self, graph, history):
        self._graph = graph
        self._keeps_state = bool(graph.checkpointer)
        self._messages = _with_ids(history)
        self._known = set()
        self._shown_texts = set()

    async def reply(self, messages, conversation, stream):
        from langchain_core.callbacks import BaseCallbackHandler
        from langchain_core.messages import convert_to_openai_messages

        reply = _Reply(self._shown_texts, stream)

        class Observer(BaseCallbackHandler):
            """System prompts and tools of nodes are in their requests, but not in the state."""

            def on_chat_model_start(self, serialized, messages, *, invocation_params=None, **kwargs):
                reply.begin_text()
                for message in messages[0]:
                    if message.type == "system":
                        reply.system_text(message.text)
                for tool in (invocation_params or {}).get("tools") or []:
                    function = tool.get("function") or {}
                    if "name" in function:
                        reply.tool(
                            function["name"], function.get("description"), function.get("parameters")
                        )

            def on_llm_new_token(self, token, **kwargs):
                reply.delta(token if isinstance(token, str) else None)

        earlier = [] if self._known and self._keeps_state else self._messages
        given = earlier + _with_ids(messages)
        config = {"configurable": {"thread_id": conversation}, "callbacks": [Observer()]}
        self._known.update(_id(message) for message in given)
        state = await self._run({"messages": given}, config, reply.streams)
        if state.get("__interrupt__"):
            raise RuntimeError("The graph was interrupted and is waiting to be resumed.")
        self._messages = state["messages"]
        # The graph may also have removed messages.
        added = [message for message in self._messages if message.id not in self._known]
        self._known.update(message.id for message in added)
        for message in added:
            by = _named(message.name) if message.type == "ai" else {}
            reply.messages.append({**convert_to_openai_messages(message), **by})
            if message.type == "ai":
                counts = message.usage_metadata or {}
                cached = (counts.get("input_token_details") or {}).get("cache_read")
                output = counts.get("output_tokens")
                reply.count(bool(counts), counts.get("input_tokens"), cached, output)
        return reply.as_json()


    async def _run(self, given, config, streams):
        if not streams:
            return await self._graph.ainvoke(given, config)
        # With the mode `messages`, models stream. The observer gets the texts of subgraphs, too.
        async for mode, chunk in self._graph.astream(
            given, config, stream_mode=["messages", "values"]
        ):
            if mode == "values":
                state = chunk
        return state


def _with_ids(messages):
    return [{"id": str(uuid.uuid4()), **message} for message in messages]


def _id(message):
    return message["id"] if isinstance(message, dict) else message.id


class _PydanticAI:
    def __init__(self, agent, history):
        self._agent = agent
        self._messages = _pydantic_messages(history)
        self._shown_texts = set()

    async def reply(self, messages, conversation, stream):
        reply = _Reply(self._shown_texts, stream)

        async def observe(context, events):
            reply.begin_text()
            async for event in events:
                # A part may start with its first text.
                part = getattr(event, "part", None) or getattr(event, "delta", None)
                if event.event_kind == "part_start" and part.part_kind == "text":
                    reply.delta(part.content)
                elif event.event_kind == "part_delta" and part.part_delta_kind == "text":
                    reply.delta(part.content_delta)

        result = await self._agent.run(
            _user_text(messages),
            message_history=self._messages,
            event_stream_handler=observe if reply.streams else None,
        )
        self._messages = result.all_messages()
        for toolset in self._agent.toolsets:
            for name, tool in getattr(toolset, "tools", {}).items():
                reply.tool(name, tool.description, tool.function_schema.json_schema)
        for message in result.new_messages():
            reply.system_text(getattr(message, "instructions", None))
            for part in message.parts:
                self._add(reply, part)
        usage = result.usage() if callable(result.usage) else result.usage
        reply.count(
            usage.requests, usage.input_tokens, usage.cache_read_tokens, usage.output_tokens
        )
        return reply.as_json()

    def _add(self, reply, part):
        if part.part_kind == "system-prompt":
            reply.system_text(part.content)
        elif part.part_kind == "text":
            reply.text(part.content, self._agent.name)
        elif part.part_kind == "tool-call":
            arguments = part.args_as_json_str()
            reply.call(part.tool_call_id, part.tool_name, arguments, self._agent.name)
        elif part.part_kind == "tool-return":
            reply.result(part.tool_call_id, part.model_response_str())
        elif part.part_kind == "retry-prompt" and part.tool_name:
            reply.result(part.tool_call_id, part.model_response())


def _pydantic_messages(messages):
    from pydantic_ai import messages as of

    names = {}
    converted = []
    for message in messages:
        content = message["content"] or ""
        if message["role"] == "assistant":
            calls = message.get("tool_calls") or []
            names.update({call["id"]: call["function"]["name"] for call in calls})
            parts = [of.TextPart(content)] if content else []
            parts += [
                of.ToolCallPart(call["function"]["name"], call["function"]["arguments"], call["id"])
                for call in calls
            ]
            converted.append(of.ModelResponse(parts))
        elif message["role"] == "tool":
            call_id = message["tool_call_id"]
            part = of.ToolReturnPart(names.get(call_id, "tool"), content, call_id)
            converted.append(of.ModelRequest([part]))
        elif message["role"] == "user":
            converted.append(of.ModelRequest([of.UserPromptPart(content)]))
        else:
            converted.append(of.ModelRequest([of.SystemPromptPart(content)]))
    return converted


class _ADK:
    _APP = {"app_name": "turnlight", "user_id": "user"}

    def __init__(self, agent, history):
        from google.adk.runners import InMemoryRunner

        self._agent = agent
        self._runner = InMemoryRunner(agent, app_name=self._APP["app_name"])
        self._history = history
        self._is_open = False
        self._shown_texts = set()

    async def reply(self, messages, conversation, stream):
        from google.adk.agents.run_config import RunConfig, StreamingMode
        from google.genai import types

        if not self._is_open:
            await self._open(conversation)
        reply = _Reply(self._shown_texts, stream)
        mode = StreamingMode.SSE if reply.streams else StreamingMode.NONE
        content = types.Content(role="user", parts=[types.Part(text=_user_text(messages))])
        async for event in self._runner.run_async(
            user_id=self._APP["user_id"],
            session_id=conversation,
            new_message=content,
            run_config=RunConfig(streaming_mode=mode),
        ):
            if event.partial:
                for part in (event.content and event.content.parts) or []:
                    reply.delta(None if part.thought else part.text)
                continue
            reply.begin_text()
            if event.error_code:
                raise RuntimeError(event.error_message or event.error_code)
            await self._add(reply, event)
        return reply.as_json()

    async def _open(self, conversation):
        from google.adk.events import Event
        from google.genai import types

        sessions = self._runner.session_service
        session = await sessions.create_session(**self._APP, session_id=conversation)
        names = {}
        for message in self._history:
            parts = [types.Part(text=message["content"])] if message["content"] else []
            if message["role"] == "tool":
                call_id = message["tool_call_id"]
                response = {"result": message["content"]}
                answered = types.FunctionResponse(
                    id=call_id, name=names.get(call_id, "tool"), response=response
                )
                parts = [types.Part(function_response=answered)]
            for call in message.get("tool_calls") or []:
                function = call["function"]
                names[call["id"]] = function["name"]
                arguments = json.loads(function["arguments"])
                called = types.FunctionCall(id=call["id"], name=function["name"], args=arguments)
                parts.append(types.Part(function_call=called))
            is_model = message["role"] == "assistant"
            author = "user" if message["role"] == "user" else self._agent.name
            content = types.Content(role="model" if is_model else "user", parts=parts)
            await sessions.append_event(session, Event(author=author, content=content))
        self._is_open = True

    async def _add(self, reply, event):
        speaker = self._agent.find_agent(event.author)
        if speaker and reply.is_first(speaker):
            instruction = getattr(speaker, "instruction", None)
            reply.system_text(instruction if isinstance(instruction, str) else None)
            for tool in await speaker.canonical_tools() if hasattr(speaker, "canonical_tools") else []:
                declared = tool._get_declaration()
                if declared:
                    parameters = declared.parameters_json_schema or (
                        declared.parameters and declared.parameters.model_dump(exclude_none=True, mode="json")
                    )
                    reply.tool(declared.name, declared.description, parameters)
        for part in (event.content and event.content.parts) or []:
            if part.function_call:
                call = part.function_call
                reply.call(call.id, call.name, call.args or {}, event.author)
            elif part.function_response:
                reply.result(part.function_response.id, part.function_response.response)
            elif part.text and not part.thought:
                reply.text(part.text, event.author)
        counts = event.usage_metadata
        if counts:
            reply.count(
                1,
                counts.prompt_token_count,
                counts.cached_content_token_count,
                counts.candidates_token_count,
            )


class _LlamaIndex:
    def __init__(self, workflow, history):
        from llama_index.core.workflow import Context

        self._workflow = workflow
        self._context = Context(workflow)
        self._history = [_llama_message(message) for message in history]
        self._shown_texts = set()

    async def reply(self, messages, conversation, stream):
        reply = _Reply(self._shown_texts, stream)
        run = self._workflow.run(
            _user_text(messages), chat_history=self._history or None, ctx=self._context
        )
        # From now on, they are in the memory of the context.
        self._history = None
        async for event in run.stream_events():
            await self._add(reply, event)
        await run
        return reply.as_json()

    async def _add(self, reply, event):
        kind = type(event).__name__
        if kind == "AgentStream":
            reply.delta(event.delta)
        elif kind == "AgentOutput":
            name = event.current_agent_name
            await self._describe(reply, name)
            reply.text(event.response.content, name)
            for call in event.tool_calls:
                reply.call(call.tool_id, call.tool_name, call.tool_kwargs, name)
            self._count(reply, event.raw)
            reply.begin_text()
        elif kind == "ToolCallResult":
            reply.result(event.tool_id, event.tool_output.content)

    async def _describe(self, reply, name):
        # A single agent is its own workflow.
        agents = getattr(self._workflow, "agents", None)
        agent = agents[name] if agents else self._workflow
        if reply.is_first(agent):
            reply.system_text(agent.system_prompt)
            for tool in await self._workflow.get_tools(*([name] if agents else [])):
                metadata = tool.metadata
                reply.tool(metadata.name, metadata.description, metadata.get_parameters_dict())

    def _count(self, reply, raw):
        """Counts the usage in an answer of OpenAI. Others have their own formats."""
        usage = (raw.get("usage") if isinstance(raw, dict) else getattr(raw, "usage", None)) or {}
        usage = usage if isinstance(usage, dict) else vars(usage)
        details = usage.get("prompt_tokens_details") or {}
        details = details if isinstance(details, dict) else vars(details)
        counts = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if None not in counts:
            reply.count(1, counts[0], details.get("cached_tokens"), counts[1])


def _llama_message(message):
    from llama_index.core.llms import ChatMessage

    extras = {key: message[key] for key in ("tool_calls", "tool_call_id") if message.get(key)}
    return ChatMessage(
        role=message["role"], content=message["content"] or "", additional_kwargs=extras
    )


class _Strands:
    """An agent keeps the messages of one conversation, so conversations take turns."""

    _locks = {}

    def __init__(self, agent, history):
        self._agent = agent
        self._messages = _strands_messages(history)
        self._shown_texts = set()

    async def reply(self, messages, conversation, stream):
        reply = _Reply(self._shown_texts, stream)
        reply.system_text(self._agent.system_prompt)
        for spec in self._agent.tool_registry.get_all_tool_specs():
            reply.tool(spec["name"], spec["description"], spec["inputSchema"]["json"])
        async with self._locks.setdefault(id(self._agent), asyncio.Lock()):
            known = {id(message) for message in self._messages}
            self._agent.messages = list(self._messages)
            async for event in self._agent.stream_async(_user_text(messages)):
                reply.delta(event.get("data"))
                if "message" in event:
                    reply.begin_text()
                result = event.get("result")
            self._messages = self._agent.messages
        if result.interrupts:
            raise RuntimeError("The agent was interrupted and is waiting to be resumed.")
        # The agent may also have removed messages.
        for message in self._messages:
            if id(message) not in known:
                self._add(reply, message)
        for cycle in result.metrics.agent_invocations[-1].cycles:
            usage = cycle.usage
            # Some models count cached tokens separately, but all count them in the total.
            input_tokens = usage["totalTokens"] - usage["outputTokens"]
            reply.count(1, input_tokens, usage.get("cacheReadInputTokens"), usage["outputTokens"])
        return reply.as_json()

    def _add(self, reply, message):
        for block in message["content"]:
            if "toolUse" in block:
                call = block["toolUse"]
                reply.call(call["toolUseId"], call["name"], call["input"], self._agent.name)
            elif "toolResult" in block:
                result = block["toolResult"]
                texts = [one.get("text", one.get("json", one)) for one in result["content"]]
                reply.result(result["toolUseId"], "\n\n".join(map(_text, texts)))
            elif "text" in block and message["role"] == "assistant":
                reply.text(block["text"], self._agent.name)


def _strands_messages(messages):
    converted = []
    for message in messages:
        role = "assistant" if message["role"] == "assistant" else "user"
        blocks = [{"text": message["content"]}] if message["content"] else []
        if message["role"] == "tool":
            result = {"toolUseId": message["tool_call_id"], "status": "success", "content": blocks}
            blocks = [{"toolResult": result}]
        for call in message.get("tool_calls") or []:
            function = call["function"]
            arguments = json.loads(function["arguments"])
            use = {"toolUseId": call["id"], "name": function["name"], "input": arguments}
            blocks.append({"toolUse": use})
        # Some models accept only alternating roles.
        if converted and converted[-1]["role"] == role:
            converted[-1]["content"] += blocks
        else:
            converted.append({"role": role, "content": blocks})
    return converted
