from agent import app
from turnlight import serve

serve(app, ready=True)
