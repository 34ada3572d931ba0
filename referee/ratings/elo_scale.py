"""Logits and Elo: conversion, rounding and intervals. Pure."""

import math
from statistics import NormalDist

ELO = 400 / math.log(10)  # Elo points per natural logit
DECIMALS = 1  # of Elo and percentages: further digits differ between machines
MIN_VARIANCE_SHARE = 0.1  # smallest variance, as a fraction of that of independent games
Z95 = NormalDist().inv_cdf(0.975)


def rounded(elo: float) -> float:
    """Round Elo as it is shown in tables of data; adding 0 removes -0.0."""
    return round(float(elo), DECIMALS) + 0.0


def to_elo(logit: float) -> float:
    """Convert logits to rounded Elo."""
    return rounded(ELO * logit)


def interval(logit: float, variance: float, quantile: float = Z95) -> tuple[float, float, float]:
    """Convert an estimate and the ends of its 95 % interval to Elo."""
    reach = quantile * math.sqrt(variance)
    return to_elo(logit), to_elo(logit - reach), to_elo(logit + reach)
