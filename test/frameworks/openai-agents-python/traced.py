from agent import triage
from agents import Runner
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from turnlight import serve

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)

agent, items = triage, []


async def reply(messages):
    """Replies with text alone."""
    global agent, items
    said = {"role": "user", "content": messages[-1]["content"]}
    result = await Runner.run(agent, [*items, said])
    agent, items = result.last_agent, result.to_input_list()
    return result.final_output


serve(reply, ready=True)
