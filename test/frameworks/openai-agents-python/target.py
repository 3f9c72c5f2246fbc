from agent import triage
from agents import set_tracing_disabled
from turnlight import serve

set_tracing_disabled(True)
serve(triage, ready=True)
