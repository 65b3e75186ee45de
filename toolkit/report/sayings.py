"""What each statistic, note and band is called and means, in sentences a student understands."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from toolkit.i18n import Language, language
from toolkit.stats.alternative import MIN_ANNOTATORS, MIN_ITEMS_EACH
from toolkit.stats.bands import Band
from toolkit.stats.results import Estimate, Note

COHEN_1968 = "Cohen (1968), Psychological Bulletin 70:213-220"
KRIPPENDORFF = "Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, University of Pennsylvania"
MCGRAW_WONG = "McGraw & Wong (1996), Psychological Methods 1:30-46"


class Saying(NamedTuple):
    """How a statistic is explained.

    Attributes:
        name: Its short name.
        meaning: What it says, in one sentence.
        formula: How it is computed, in plain text.
        source: Where it comes from; a citation, which is not translated. Empty for what needs none.
        kind: How its value is written: a `coefficient`, a `share` of items, or scale `points`.
    """

    name: str
    meaning: str
    formula: str
    source: str
    kind: str = "coefficient"


def saying(key: str, _: Language) -> Saying:
    """Return how a statistic is explained, by its key in metrics.json."""
    return _STATISTICS[key](_)


def statistic_keys() -> tuple[str, ...]:
    """Return the keys of all statistics that can be explained."""
    return tuple(_STATISTICS)


def _alpha(_: Language, kind: str) -> Saying:
    distance = {
        "nominal": _("The distance is 0 for equal scores and 1 for any others."),
        "ordinal": _("The distance is the square of how many scores lie from one value to the other, by rank."),
        "interval": _("The distance is the squared difference of the two values."),
    }[kind]
    name = {
        "nominal": _("Krippendorff's alpha (nominal)"),
        "ordinal": _("Krippendorff's alpha (ordinal)"),
        "interval": _("Krippendorff's alpha (interval)"),
    }[kind]
    meaning = {
        "nominal": _(
            "How far the disagreement within items stays below what scores drawn at random would show, where any two "
            "different scores disagree alike; 1 is perfect, 0 is chance. It copes with missing scores."
        ),
        "ordinal": _(
            "How far the disagreement within items stays below what scores drawn at random would show, where two "
            "scores disagree the more, the more scores lie between them; 1 is perfect, 0 is chance. It copes with "
            "missing scores."
        ),
        "interval": _(
            "How far the disagreement within items stays below what scores drawn at random would show, where a "
            "difference of two points weighs four times one of one point; 1 is perfect, 0 is chance. It copes with "
            "missing scores."
        ),
    }[kind]
    formula = _("α = 1 − observed disagreement / expected disagreement.")
    return Saying(name, meaning, f"{formula} {distance}", KRIPPENDORFF)


_STATISTICS: dict[str, Callable[[Language], Saying]] = {
    "mean_pairwise_kappa": lambda _: Saying(
        _("Mean pairwise kappa"),
        _("The agreement of two people, beyond chance, averaged over all pairs of people."),
        _("The plain mean of the quadratic-weighted kappas of all pairs whose kappa is defined."),
        "Light (1971), Psychological Bulletin 76:365-377",
    ),
    "kappa_quadratic": lambda _: Saying(
        _("Quadratic-weighted kappa"),
        _("Agreement beyond chance; a difference of two points weighs four times one of one point. 1 is perfect."),
        _("κ = 1 − mean((x − y)²) / (var x + var y + (mean x − mean y)²), with population variances."),
        COHEN_1968,
    ),
    "kappa_linear": lambda _: Saying(
        _("Linear-weighted kappa"),
        _("Agreement beyond chance; a difference of two points weighs twice one of one point."),
        _("κ = 1 − mean|x − y| / mean|X − Y|, where X and Y run over all pairs of one score of each side."),
        "Cicchetti & Allison (1971), American Journal of EEG Technology 11:101-109",
    ),
    "kappa_unweighted": lambda _: Saying(
        _("Unweighted kappa"),
        _("Agreement beyond chance where only identical scores count as agreement."),
        _("κ = (p₀ − pₑ) / (1 − pₑ), with p₀ the share of identical scores and pₑ the share expected by chance."),
        "Cohen (1960), Educational and Psychological Measurement 20:37-46",
    ),
    "kappa_quadratic_rounded": lambda _: Saying(
        _("Quadratic-weighted kappa, rounded"),
        _(
            "The quadratic-weighted kappa after both sides are rounded to whole scores: only for comparison with "
            "published figures."
        ),
        _("As the quadratic-weighted kappa, after rounding to the nearest whole score, halves to the even one."),
        COHEN_1968,
    ),
    "percent_agreement": lambda _: Saying(
        _("Identical scores"),
        _("The share of items on which both gave the same score. Chance is not taken off."),
        _("The number of items with x = y, divided by the number of items."),
        "",
        "share",
    ),
    "exact_agreement": lambda _: Saying(
        _("Exact agreement"),
        _("The share of items on which the judge gave exactly the human consensus. Chance is not taken off."),
        _("The number of items with x = y, divided by the number of items."),
        "",
        "share",
    ),
    "within_one": lambda _: Saying(
        _("Within one point"),
        _("The share of items on which the two scores lie at most one point apart."),
        _("The number of items with |x − y| ≤ 1, divided by the number of items."),
        "",
        "share",
    ),
    "ac1": lambda _: Saying(
        _("Gwet's AC1"),
        _("Agreement beyond chance on identical scores; unlike kappa it does not collapse when one score dominates."),
        _("AC1 = (p₀ − pₑ) / (1 − pₑ), with pₑ = Σ πₖ(1 − πₖ) / (q − 1), πₖ the mean share of score k, q scores."),
        "Gwet (2008), British Journal of Mathematical and Statistical Psychology 61:29-48",
    ),
    "ac2_quadratic": lambda _: Saying(
        _("Gwet's AC2 (quadratic)"),
        _(
            "Agreement beyond chance, where two scores count the less, the further apart they lie; unlike kappa it "
            "does not collapse when one score dominates."
        ),
        _(
            "(pₐ − pₑ) / (1 − pₑ), with agreement weighted by w = 1 − (x − y)² / (highest − lowest score)² and "
            "pₑ = Σw / (q(q − 1)) · Σ π(1 − π), over q scores with mean shares π."
        ),
        "Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition",
    ),
    "fleiss_kappa": lambda _: Saying(
        _("Fleiss' kappa"),
        _("Agreement beyond chance among all people together, where only identical scores count as agreement."),
        _(
            "κ = (p₀ − pₑ) / (1 − pₑ), with p₀ over all pairs of scores of an item and pₑ from the mean of the items' "
            "shares."
        ),
        "Fleiss (1971), Psychological Bulletin 76:378-382",
    ),
    "krippendorff_alpha_nominal": lambda _: _alpha(_, "nominal"),
    "krippendorff_alpha_ordinal": lambda _: _alpha(_, "ordinal"),
    "krippendorff_alpha_interval": lambda _: _alpha(_, "interval"),
    "icc_a1": lambda _: Saying(
        _("ICC(A,1)"),
        _("How much of the variation of one person's scores comes from the items rather than from the people."),
        _("(MSR − MSE) / (MSR + (k − 1)·MSE + k·(MSC − MSE) / n), mean squares of items, people and error."),
        MCGRAW_WONG,
    ),
    "icc_ak": lambda _: Saying(
        _("ICC(A,k)"),
        _(
            "How much of the variation of the mean score of all k people comes from the items; such a mean is steadier "
            "than one person's score."
        ),
        _("(MSR − MSE) / (MSR + (MSC − MSE) / n), mean squares of items, people and error."),
        MCGRAW_WONG,
    ),
    "pearson": lambda _: Saying(
        _("Pearson's r"),
        _("Whether the judge's scores rise in a straight line with the people's, whatever their level."),
        _("r = cov(x, y) / (sd x · sd y)."),
        "Pearson (1896), Philosophical Transactions of the Royal Society A 187:253-318",
    ),
    "spearman": lambda _: Saying(
        _("Spearman's rho"),
        _("Whether the judge puts the items in the same order as the people, ties sharing their rank."),
        _("Pearson's r of the ranks; ties share the mean of their ranks."),
        "Spearman (1904), American Journal of Psychology 15:72-101",
    ),
    "kendall_tau_b": lambda _: Saying(
        _("Kendall's tau-b"),
        _("Of any two items, how much more often judge and people order them alike than the other way round."),
        _("τ = (C − D) / √((N − Tx)(N − Ty)): pairs alike, pairs reversed, all pairs, ties of each side."),
        "Kendall (1945), Biometrika 33:239-251",
    ),
    "lin_ccc": lambda _: Saying(
        _("Lin's concordance"),
        _("How close the points lie to the line where both scores are equal; here it equals the quadratic kappa."),
        _("2·cov(x, y) / (var x + var y + (mean x − mean y)²), with population variances."),
        "Lin (1989), Biometrics 45:255-268",
    ),
    "mae": lambda _: Saying(
        _("Mean absolute error"),
        _("How many points the judge lies from the human consensus on average, in either direction. 0 is perfect."),
        _("MAE = mean|y − x|, with y the judge and x the human consensus."),
        "",
        "points",
    ),
    "rmse": lambda _: Saying(
        _("Root mean squared error"),
        _("As the mean absolute error, but large differences weigh more. 0 is perfect."),
        _("RMSE = √mean((y − x)²), with y the judge and x the human consensus."),
        "",
        "points",
    ),
    "bias": lambda _: Saying(
        _("Bias"),
        _("Judge minus people on average: above 0 the judge is more generous, below 0 more severe."),
        _("mean(y − x), with y the judge and x the human consensus."),
        "Bland & Altman (1986), The Lancet 327:307-310",
        "points",
    ),
}

_NOTES: dict[Note, Callable[[Language], str]] = {
    Note.NO_SHARED_ITEMS: lambda _: _("Undefined: no item has a score from both sides."),
    Note.SINGLE_ITEM: lambda _: _("Only one item is shared: the figure says nothing."),
    Note.TWO_ITEMS: lambda _: _("Only two items are shared: a correlation of two points is always 1 or -1."),
    Note.BOTH_CONSTANT: lambda _: _("Undefined: both sides gave one and the same score throughout."),
    Note.ONE_CONSTANT: lambda _: _("One side always gave the same score; the 0 follows from that alone."),
    Note.CONSTANTS_DIFFER: lambda _: _(
        "Each side always gave the same score, but a different one; the 0 says nothing about the distance."
    ),
    Note.CONSTANT: lambda _: _("Undefined: one side always gave the same score, so nothing can vary together."),
    Note.ALL_SAME: lambda _: _("All scores are the same one: agreement beyond chance cannot be told from chance."),
    Note.UNDEFINED: lambda _: _("Undefined: the formula divides by zero on these scores."),
    Note.SOME_PAIRS_UNDEFINED: lambda _: _("The mean leaves out pairs whose own value is undefined."),
    Note.FEW_SHARED_ITEMS: lambda _: _(
        "Most pairs share fewer than 20 items: the kappa of so few is too low on average, so there is no interval. "
        "Krippendorff's alpha uses all scores at once."
    ),
    Note.NO_COMPLETE_ITEMS: lambda _: _("Undefined: fewer than two items were scored by everybody."),
    Note.OUT_OF_RANGE: lambda _: _("The value lies outside -1 to 1: items differ less than chance would make them."),
    Note.SMALL_N: lambda _: _("30 items or fewer: wide as it is, the interval still understates the uncertainty."),
    Note.SKEWED_SMALL: lambda _: _(
        "Fewer than 100 items, most of them (60% or more) with one and the same score: the interval is too narrow."
    ),
    Note.PREVALENCE: lambda _: _(
        "One score makes up at least 80% of all: kappa can be low although people and judge nearly always agree."
    ),
    Note.HALF_POINTS: lambda _: _("Values between the levels (such as 3.5) count as scores of their own here."),
    Note.NEAR_TIES: lambda _: _(
        "Some values differ by less than a thousandth of a point: perhaps one mean, rounded differently in two places."
    ),
    Note.NO_INTERVAL_UNDER_10: lambda _: _("No interval: fewer than ten items."),
    Note.INTERVAL_UNDEFINED_RESAMPLES: lambda _: _("No interval: the figure is undefined in over 5% of the resamples."),
    Note.SOME_RESAMPLES_UNDEFINED: lambda _: _(
        "The figure is undefined in some resamples (at most 5%); the interval is of the others."
    ),
    Note.INTERVAL_DEGENERATE: lambda _: _(
        "Every resample gave the same value: the interval has no width, which is not certainty."
    ),
    Note.PERCENTILE_INSTEAD: lambda _: _("The BCa interval could not be computed; this is the percentile interval."),
    Note.FEW_CLUSTERS: lambda _: _("Fewer than ten different prompts: the interval may be too narrow."),
    Note.FEW_ANNOTATORS: lambda _: _(
        "Fewer than {n} annotators, which the procedure needs for a verdict.", n=_.number(MIN_ANNOTATORS, 0)
    ),
    Note.FEW_ITEMS_PER_ANNOTATOR: lambda _: _(
        "Somebody scored fewer than {n} items, which the procedure needs of everybody for a verdict.",
        n=_.number(MIN_ITEMS_EACH, 0),
    ),
}


def note_text(note: Note, _: Language) -> str:
    """Return the sentence that explains a note."""
    return _NOTES[note](_)


def metrics_note(estimate: Estimate) -> str | None:
    """Return the English sentences about a value, as metrics.json holds them; None when there is nothing to say."""
    return " ".join(note_text(note, language("en")) for note in estimate.notes) or None


def band_word(band: Band, _: Language) -> str:
    """Return the protocol's word for a band."""
    return {
        Band.LOW: _("low"),
        Band.MODERATE: _("moderate"),
        Band.SUBSTANTIAL: _("substantial"),
        Band.ALMOST_PERFECT: _("almost perfect"),
    }[band]


def band_range(band: Band, _: Language) -> str:
    """Return from where to where a band goes."""
    return {
        Band.LOW: _("below {high}", high=_.number(0.4, 1)),
        Band.MODERATE: _("{low} to below {high}", low=_.number(0.4, 1), high=_.number(0.6, 1)),
        Band.SUBSTANTIAL: _("{low} to below {high}", low=_.number(0.6, 1), high=_.number(0.8, 1)),
        Band.ALMOST_PERFECT: _("{low} and above", low=_.number(0.8, 1)),
    }[band]
