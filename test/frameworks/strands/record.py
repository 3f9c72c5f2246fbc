import os

os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental,gen_ai_tool_definitions"

import shop

shop.tracer_provider()

from agent import triage

for text in shop.USER_TEXTS:
    triage(text)
