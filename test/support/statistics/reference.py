"""Answers a list of questions on standard input with the Python libraries."""

import json
import sys

import krippendorff
import numpy
from scipy import stats
from sklearn import metrics
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint


def bootstrap(values):
    found = stats.bootstrap((numpy.array(values),), numpy.mean, method="percentile", n_resamples=50000, rng=1)
    return list(found.confidence_interval)


def kappa(table):
    found = cohens_kappa(numpy.array(table))
    return [found.kappa, found.kappa_low, found.kappa_upp]


def rates(pairs):
    judge, people = zip(*pairs)
    return [
        metrics.accuracy_score(people, judge),
        metrics.precision_score(people, judge, pos_label="fail"),
        metrics.recall_score(people, judge, pos_label="fail"),
        metrics.cohen_kappa_score(people, judge),
    ]


ANSWERS = {
    "mcnemar": lambda worse, better: mcnemar([[0, worse], [better, 0]], exact=True).pvalue,
    "wilcoxon": lambda values, method: stats.wilcoxon(values, correction=False, method=method).pvalue,
    "bootstrap": bootstrap,
    "holm": lambda ps: list(multipletests(ps, method="holm")[1]),
    "wilson": lambda hits, total: list(proportion_confint(hits, total, method="wilson")),
    "kappa": kappa,
    "rates": rates,
    "alpha": lambda table: krippendorff.alpha(
        reliability_data=[[numpy.nan if one is None else one for one in row] for row in table],
        level_of_measurement="nominal",
    ),
}

json.dump([ANSWERS[name](*given) for name, *given in json.load(sys.stdin)], sys.stdout, default=float)
