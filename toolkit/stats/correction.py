"""What people would have scored on a whole log, from the few records they scored and the judge's scores of all.

Prediction-powered estimates of means, shares and differences, for samples drawn with unequal probabilities, in strata
and in clusters; and the Rogan-Gladen correction of a share. An estimate is a weighted mean of human scores, moved by as
much as the judge's scores of the sample differ from the judge's scores of the log.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toolkit.stats._weighted import Array, as_column
from toolkit.stats.bootstrap import Columns, Statistic, resample
from toolkit.stats.intervals import percentile_interval
from toolkit.stats.survey import Labelled, freedom, totals, unseen_variance, variance

__all__ = ["Corrected", "powered", "powered_difference", "rogan_gladen"]

MIN_YOUDEN = 0.05


@dataclass(frozen=True, slots=True)
class Corrected:
    """An estimate for the whole log.

    Attributes:
        value: The estimate.
        error: Its standard error; 0 where the sample shows no error at all, which is no certainty.
        ci95: Its interval.
        n: Records people scored that count.
        judge: What the judge alone says of the log.
        people: What people alone say, without the judge's help (lambda 0).
        power: The lambda used, the mean over folds; 0 where the judge does not help, 1 where it is believed in full.
        influence: What each record adds to the estimate, shape (n,): for variances of differences.
        unseen: The part of the squared error that stands for disagreements too rare to be in the sample.
    """

    value: float
    error: float
    ci95: tuple[float, float]
    n: int
    judge: float
    people: float
    power: float
    influence: Array
    unseen: float


def powered(
    human: ArrayLike,
    judge: ArrayLike,
    log_mean: float,
    design: Labelled,
    *,
    domain: ArrayLike | None = None,
    log_variance: float = 0.0,
    power: float | None = None,
    within: tuple[float, float] | None = None,
    steady: bool = True,
) -> Corrected:
    """Estimate what people would have scored on the log, in the mean.

    PPI++ (Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453) for a mean, which for a sample from a finite log is the
    survey statistician's difference estimator (Saerndal, Swensson & Wretman 1992, Model Assisted Survey Sampling, 6.3):
    `sum w (y - lambda (f - F)) / sum w`, F the judge's mean over the log. Lambda is the one number that makes the
    variance smallest, between 0 and 1, estimated for each fold of records from the others (so that it cannot be fitted
    to the errors it corrects). The variance is of cluster totals of deviations within strata.

    Args:
        human: Human scores, or 0/1 for a share, shape (n,).
        judge: The judge's scores of the same records, in the same form, shape (n,).
        log_mean: The judge's mean over the log (or over the domain).
        design: From `labelled`.
        domain: Which records belong to the part of the log that is estimated, shape (n,); None for all.
        log_variance: Variance of `log_mean` where the log is itself a sample of what is estimated; 0 for this log.
        power: A lambda to use instead of estimating one.
        within: The lowest and the highest value that the mean can have (0 and 1 of a share; the ends of the scale); its
            interval is then taken on the logit scale between them. Of skewed scores a symmetric one is too short on the
            side of the rare scores.
        steady: Whether the variance allows for disagreements too rare to have been seen: as if two more records had
            been scored, the judge one point too generous in one and one too severe in the other (Bonett & Price 2012,
            Journal of Educational and Behavioral Statistics 37:479-488, for a paired difference of shares). Without,
            a judge that was right on all 30 records would be certain to be right on a million.

    Returns:
        The estimate; its interval uses Student's t with Satterthwaite's degrees of freedom (Satterthwaite 1946,
        Biometrics Bulletin 2:110-114): clusters less strata, fewer where a few large strata make up the variance.

    Raises:
        ValueError: Lengths differ, a score is missing, or the domain has no record.

    Example:
        A judge one point too generous throughout: the correction takes the point off and is certain of it.

        >>> from toolkit.stats.survey import labelled
        >>> human = np.array([1.0, 2, 3, 4, 2, 3])
        >>> result = powered(human, human + 1, log_mean=3.8, design=labelled(6), power=1, steady=False)
        >>> round(result.value, 6), result.judge, result.error < 1e-9
        (2.8, 3.8, True)
    """
    y, f = as_column(human, "human"), as_column(judge, "judge")
    inside = np.ones(y.size, dtype=bool) if domain is None else np.asarray(domain, dtype=bool)
    if not y.size == f.size == design.weights.size == inside.size or np.isnan(y + f).any():
        raise ValueError("human, judge, domain and design must be of the same records, with no score missing")
    if not inside.any():
        raise ValueError("the domain has no record that people scored")
    lambdas = _lambdas(y, f, design, inside) if power is None else np.full(y.size, power)
    weights = design.weights * inside
    share_of = weights / weights.sum()
    residual = y - lambdas * (f - log_mean)
    value = float(share_of @ residual)
    influence = share_of * (residual - value)
    mean_lambda = float(share_of @ lambdas)
    unseen = unseen_variance(share_of, design) if steady else 0.0
    error = float(np.sqrt(variance(influence, design) + unseen + mean_lambda**2 * log_variance))
    return Corrected(
        value=value,
        error=error,
        ci95=_interval(value, error, freedom(influence, design), within),
        n=int(inside.sum()),
        judge=float(log_mean),
        people=float(share_of @ y),
        power=mean_lambda,
        influence=influence,
        unseen=unseen,
    )


def powered_difference(first: Corrected, second: Corrected, design: Labelled) -> Corrected:
    """Return the first estimate less the second, both of one design; records that share a cluster may be in both.

    Example:
        >>> from toolkit.stats.survey import labelled
        >>> design = labelled(4)
        >>> parts = [powered([1, 2, 4, 5], [1, 2, 4, 5], 3, design, domain=d) for d in ([1, 1, 0, 0], [0, 0, 1, 1])]
        >>> powered_difference(*parts, design).n
        4
    """
    influence = first.influence - second.influence
    value, unseen = first.value - second.value, first.unseen + second.unseen
    error = float(np.sqrt(variance(influence, design) + unseen))
    return Corrected(
        value=value,
        error=error,
        ci95=_interval(value, error, freedom(influence, design)),
        n=first.n + second.n,
        judge=first.judge - second.judge,
        people=first.people - second.people,
        power=(first.power + second.power) / 2,
        influence=influence,
        unseen=unseen,
    )


def rogan_gladen(
    human: ArrayLike,
    judge: ArrayLike,
    log_share: float,
    log_size: int,
    *,
    weights: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    replicates: int = 4_000,
    seed: int,
) -> tuple[float, tuple[float, float]] | None:
    """Correct the judge's share of passes for its false passes and false fails.

    Rogan & Gladen (1978, American Journal of Epidemiology 107:71-76): `(share + TNR - 1) / (TPR + TNR - 1)`, within 0
    and 1. For the interval both samples are drawn again, the records people scored and the log (Lang & Reiczigel 2014,
    Preventive Veterinary Medicine 113:13-22, on why both must be).

    Args:
        human: 1 for a pass, 0 for a fail, shape (n,).
        judge: The same, of the judge.
        log_share: Share of the log that the judge passes.
        log_size: Records in the log.
        weights: Inverse inclusion probabilities, shape (n,).
        strata: Stratum of each record, shape (n,).
        clusters: Cluster of each record, shape (n,).
        replicates: Number of resamples.
        seed: Of the random generator.

    Returns:
        The share and its 95% interval; None where the judge is hardly better than chance (TPR + TNR - 1 below 0.05 on
        the data, or in more than 5% of the resamples), or one side has no record.

    Example:
        TPR 0.8 and TNR 0.9: a judge that passes 0.45 of the log means (0.45 - 0.1) / 0.7.

        >>> human = [1] * 50 + [0] * 50
        >>> judge = [1] * 40 + [0] * 10 + [1] * 5 + [0] * 45
        >>> share, interval = rogan_gladen(human, judge, 0.45, 10_000, seed=1)
        >>> round(share, 6), interval[0] < share < interval[1]
        (0.5, True)
    """
    rates = {
        "tpr": Statistic(lambda c, w: _rate(c, w, 1.0), ("human", "judge")),
        "tnr": Statistic(lambda c, w: _rate(c, w, 0.0), ("human", "judge")),
    }
    columns = {"human": human, "judge": judge}
    draws = resample(
        columns, rates, replicates=replicates, seed=seed, clusters=clusters, strata=strata, weights=weights
    )
    youden = draws["tpr"].value + draws["tnr"].value - 1
    if not youden >= MIN_YOUDEN:
        return None
    passes = np.random.default_rng([seed, 1]).binomial(log_size, log_share, size=replicates) / log_size
    scale = draws["tpr"].replicates + draws["tnr"].replicates - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(scale >= MIN_YOUDEN, (passes + draws["tnr"].replicates - 1) / scale, np.nan)
    defined = found[~np.isnan(found)]
    if defined.size < 0.95 * replicates:
        return None
    low, high = percentile_interval(np.clip(defined, 0, 1))
    return float(np.clip((log_share + draws["tnr"].value - 1) / youden, 0, 1)), (low, high)


def _rate(columns: Columns, weights: Array, level: float) -> Array:
    of = columns["human"] == level
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((weights @ (of & (columns["judge"] == level))) / (weights @ of))


def _lambdas(y: Array, f: Array, design: Labelled, inside: NDArray[np.bool_]) -> Array:
    """Return for each record the lambda that the records of the other folds would choose."""
    rest = design.folds != np.arange(design.folds.max() + 1)[:, None]
    kept = design.weights * inside * rest
    size = np.maximum(kept.sum(axis=1), 1e-12)
    # shape (folds, clusters)
    totals_y, totals_f = (totals(kept * (x - (kept @ x / size)[:, None]), design, rest) for x in (y, f))
    square, product = (totals_f**2).sum(axis=1), (totals_y * totals_f).sum(axis=1)
    found = np.where(square < 1e-12, 0.0, np.clip(product / np.maximum(square, 1e-12), 0.0, 1.0))
    return np.asarray(found[design.folds], dtype=np.float64)


def _interval(
    value: float, error: float, degrees: float, within: tuple[float, float] | None = None
) -> tuple[float, float]:
    from scipy.special import expit, logit, stdtrit

    reach = float(stdtrit(degrees, 0.975)) * error
    if within is None:
        return value - reach, value + reach
    low, high = within
    if not low < value < high:
        return max(low, min(high, value - reach)), min(high, max(low, value + reach))
    width = high - low
    part = (value - low) / width
    half = reach / width / (part * (1 - part))
    ends = expit(logit(part) + np.array([-half, half]))
    return low + width * float(ends[0]), low + width * float(ends[1])
