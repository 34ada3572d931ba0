"""Estimates after a test that stopped because of its own results. Pure.

A test that stops at a bound often does so after lucky results, so that the plain mean is too far
from the middle. Outcomes of a sequential test are ordered by stages here: those that stop earlier
at the upper bound are larger, those that stop earlier at the lower bound smaller. The probability
of an outcome that is at most as large as the observed one then gives an estimate whose median is
right, an interval, and a likelihood of superiority that is not affected by stopping.

The log-likelihood ratio is approximated by a Brownian motion between two absorbing bounds.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_MAX_TERMS = 120
_NEGLIGIBLE = 45.0
"""Terms of a series end where they are smaller than the first by exp(-this)."""
_FEW_STEPS = 0.02
"""Below this variance, as a fraction of the squared distance of the bounds, one bound is enough."""
_BISECTIONS = 36


@dataclass(frozen=True, slots=True)
class Walk:
    """A Brownian motion from 0 that stops at `lower` (below 0) or `upper`."""

    lower: float
    upper: float
    drift: float  # per step
    variance: float  # per step, above 0

    def mirrored(self) -> "Walk":
        """Return the walk with the signs reversed."""
        return Walk(-self.upper, -self.lower, -self.drift, self.variance)

    def stopped_above(self, steps: float) -> float:
        """Compute the probability that it stopped at `upper` within these steps."""
        if self.variance * steps < _FEW_STEPS * (self.upper - self.lower) ** 2:
            return self._passed(steps)
        return _clip(self._ever_above() - self._later_above(steps))

    def at_most(self, steps: float, value: float) -> float:
        """Compute the probability of an outcome that is at most this value after these steps.

        A value at a bound is one at which the walk has stopped in the last step.
        """
        if value >= self.upper:
            return 1 - self.stopped_above(steps)
        below = self.mirrored().stopped_above(steps)
        return below if value <= self.lower else _clip(below + self._going_on(steps, value))

    def _passed(self, steps: float) -> float:
        """Compute `stopped_above` without a lower bound."""
        error = math.sqrt(self.variance * steps)
        direct = _cdf((self.drift * steps - self.upper) / error)
        exponent = 2 * self.drift * self.upper / self.variance
        reflected = _cdf((-self.upper - self.drift * steps) / error)
        return _clip(direct + (math.exp(min(exponent, 700.0)) * reflected if reflected else 0.0))

    def _ever_above(self) -> float:
        """Compute the probability that it ever stops at `upper`."""
        pull = 2 * self.drift / self.variance
        start, width = -self.lower, self.upper - self.lower
        if abs(pull * width) < 1e-9:
            return start / width
        if pull > 0:
            return math.expm1(-pull * start) / math.expm1(-pull * width)
        # The same, divided by a term that would overflow.
        return (math.exp(pull * (width - start)) - math.exp(pull * width)) / -math.expm1(
            pull * width
        )

    def _later_above(self, steps: float) -> float:
        """Compute the probability that it stops at `upper` after these steps."""
        start, width = -self.lower, self.upper - self.lower
        tilt = self.drift * self.upper / self.variance
        total = 0.0
        for number, wave, rate in self._terms(steps):
            sign = 1 if number % 2 else -1
            factor = math.exp(tilt - rate * steps) / rate
            total += sign * wave * math.sin(wave * start) * factor
        return total * self.variance / width

    def _going_on(self, steps: float, value: float) -> float:
        """Compute the probability that it has not stopped, and is at most this value."""
        if self.variance * steps < _FEW_STEPS * (self.upper - self.lower) ** 2:
            error = math.sqrt(self.variance * steps)
            below = _cdf((value - self.drift * steps) / error)
            return max(0.0, below - self.mirrored().stopped_above(steps))
        start, width = -self.lower, self.upper - self.lower
        tilt, end = self.drift / self.variance, value - self.lower
        total = 0.0
        for _, wave, rate in self._terms(steps):
            # The integral of exp(tilt (y - start)) sin(wave y) from 0 to the end.
            upper = math.exp(tilt * (end - start) - rate * steps)
            lower = math.exp(-tilt * start - rate * steps)
            integral = upper * (tilt * math.sin(wave * end) - wave * math.cos(wave * end))
            integral += lower * wave
            total += math.sin(wave * start) * integral / (tilt**2 + wave**2)
        return 2 * total / width

    def _terms(self, steps: float) -> Iterator[tuple[int, float, float]]:
        """Iterate over the terms of the series: number, wave number and rate of decay."""
        for number in range(1, _MAX_TERMS + 1):
            wave = number * math.pi / (self.upper - self.lower)
            decay = self.variance * wave**2 / 2
            if number > 1 and decay * steps * (1 - 1 / number**2) > _NEGLIGIBLE:
                return
            yield number, wave, self.drift**2 / self.variance / 2 + decay


def _cdf(value: float) -> float:
    """Compute the distribution function of the standard normal distribution.

    NormalDist.cdf is 1 + erf(...) before Python 3.14, which loses the digits of small values. They
    matter, because `_passed` multiplies them by large ones.
    """
    return math.erfc(-value / math.sqrt(2)) / 2


def _clip(probability: float) -> float:
    return min(max(probability, 0.0), 1.0)


def solve_decreasing(
    function: Callable[[float], float], target: float, low: float, high: float
) -> float:
    """Find where a decreasing function has the target value; one of the ends if it has not."""
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > target else (low, middle)
    return (low + high) / 2
