"""Prints an experiment's data from MLflow's own API: assessments by session, and evaluation runs."""

import json
import sys
from collections import defaultdict

import mlflow

mlflow.set_tracking_uri(sys.argv[1])
experiment = mlflow.get_experiment_by_name(sys.argv[2]).experiment_id

sessions = defaultdict(list)
traces = mlflow.search_traces(
    locations=[experiment], order_by=["timestamp_ms ASC"], max_results=2000, return_type="list", include_spans=False
)
for place, trace in enumerate(traces):
    session = trace.info.trace_metadata.get("mlflow.trace.session")
    for one in trace.info.assessments:
        if session and one.source.source_type != "HUMAN":
            sessions[session].append(
                {
                    "name": one.name,
                    "value": one.value,
                    "rationale": one.rationale,
                    "source": [one.source.source_type, one.source.source_id],
                    "session": (one.metadata or {}).get("mlflow.trace.session"),
                    "run": one.run_id,
                    "first": all(
                        other.info.trace_metadata.get("mlflow.trace.session") != session for other in traces[:place]
                    ),
                }
            )
runs = mlflow.search_runs(experiment_ids=[experiment], output_format="list")
print(
    json.dumps(
        {
            "sessions": sessions,
            "runs": [
                {
                    "id": run.info.run_id,
                    "status": run.info.status,
                    "type": run.data.tags.get("mlflow.runType"),
                    "metrics": run.data.metrics,
                    "traces": len(
                        mlflow.search_traces(
                            locations=[experiment],
                            run_id=run.info.run_id,
                            return_type="list",
                            include_spans=False,
                        )
                    ),
                }
                for run in runs
            ],
        }
    )
)
