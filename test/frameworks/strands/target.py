from agent import triage
from turnlight import serve

serve(triage, ready=True)
