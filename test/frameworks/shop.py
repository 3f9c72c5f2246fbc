"""Shared by the Python recordings: the script's agents and tools, and the span file."""

import base64
import json
import os
from pathlib import Path

SCRIPT = json.loads(Path(os.environ["SCRIPT"]).read_text(encoding="utf8"))
OUT = Path(os.environ["OUT"])
MODEL = "gpt-5-mini"
USER_TEXTS = [turn["user"] for turn in SCRIPT["turns"]]


def instructions(agent):
    return SCRIPT["agents"][agent]["instructions"]


def result(tool, argument):
    """A tool's result according to the script."""
    for turn in SCRIPT["turns"]:
        for reply in turn["replies"]:
            for call in reply.get("calls", []):
                if call["name"] == tool and argument in call["arguments"].values():
                    return call["result"]
    raise KeyError(f"{tool}({argument})")


def find_order(order: str) -> str:
    """Find an order by its number."""
    return json.dumps(result("find_order", order))


def check_stock(item: str) -> str:
    """Count an item in stock."""
    return json.dumps(result("check_stock", item))


def refund(item: str) -> str:
    """Refund an item of the last order."""
    return json.dumps(result("refund", item))


def tracer_provider():
    """Writes spans to OUT/traces.jsonl, in the format of the collector's file exporter."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(file_exporter(OUT / "traces.jsonl")))
    trace.set_tracer_provider(provider)
    return provider


def file_exporter(path):
    from google.protobuf.json_format import MessageToDict
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    def as_hex(value):
        # OTLP/JSON encodes ids in hexadecimal; protobuf's JSON uses base64.
        if isinstance(value, list):
            return [as_hex(one) for one in value]
        if not isinstance(value, dict):
            return value
        ids = ("traceId", "spanId", "parentSpanId")
        return {
            key: base64.b64decode(one).hex() if key in ids else as_hex(one)
            for key, one in value.items()
        }

    class FileExporter(SpanExporter):
        def export(self, spans):
            with path.open("a", encoding="utf8") as file:
                value = as_hex(MessageToDict(encode_spans(spans)))
                file.write(json.dumps(value, separators=(",", ":")) + "\n")
            return SpanExportResult.SUCCESS

    return FileExporter()


def write(name, value):
    (OUT / name).write_text(json.dumps(value, indent=1) + "\n", encoding="utf8")
