"""How to cite: the methods with their sources, the report, the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolkit import __version__
from toolkit.report import population
from toolkit.report.facts import Facts
from toolkit.report.procedures import procedures
from toolkit.report.provenance import explained
from toolkit.report.story import Story
from toolkit.texts import clean

PROGRAM = "toolkit"


class Reference(NamedTuple):
    """A source.

    Attributes:
        key: Its BibTeX key.
        short: How a sentence names it; the source of a statistic begins so.
        kind: Its BibTeX type.
        fields: Its BibTeX fields, in LaTeX.
    """

    key: str
    short: str
    kind: str
    fields: dict[str, str]

    @property
    def bibtex(self) -> str:
        """The BibTeX entry."""
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in self.fields.items())
        return f"@{self.kind}{{{self.key},\n{lines}}}\n"

    def named_in(self, text: str) -> bool:
        """Return whether a text names its authors and its year, in whatever grammar the language puts them."""
        return set(re.findall(r"\w+", self.short)) <= set(re.findall(r"\w+", text))


def _article(key: str, short: str, authors: str, year: int, title: str, where: str, place: str) -> Reference:
    volume, _colon, pages = place.partition(":")
    number = {}
    if "(" in volume:
        volume, inside = volume.rstrip(")").split("(")
        number = {"number": inside}
    fields = {"author": authors, "title": f"{{{title}}}", "journal": where, "year": str(year), "volume": volume}
    return Reference(key, short, "article", fields | number | {"pages": pages})


EDUCATIONAL, BULLETIN = "Educational and Psychological Measurement", "Psychological Bulletin"
REFERENCES = (
    _article("cohen1960", "Cohen (1960)", "Cohen, Jacob", 1960, "A Coefficient of Agreement for Nominal Scales",
             EDUCATIONAL, "20(1):37--46"),
    _article("cohen1968", "Cohen (1968)", "Cohen, Jacob", 1968,
             "Weighted Kappa: Nominal Scale Agreement with Provision for Scaled Disagreement or Partial Credit",
             BULLETIN, "70(4):213--220"),
    _article("light1971", "Light (1971)", "Light, Richard J.", 1971,
             "Measures of Response Agreement for Qualitative Data: Some Generalizations and Alternatives",
             BULLETIN, "76(5):365--377"),
    _article("cicchetti1971", "Cicchetti & Allison (1971)", "Cicchetti, Domenic V. and Allison, Truett", 1971,
             "A New Procedure for Assessing Reliability of Scoring {EEG} Sleep Recordings",
             "American Journal of EEG Technology", "11(3):101--109"),
    _article("gwet2008", "Gwet (2008)", "Gwet, Kilem Li", 2008,
             "Computing Inter-Rater Reliability and Its Variance in the Presence of High Agreement",
             "British Journal of Mathematical and Statistical Psychology", "61(1):29--48"),
    Reference("gwet2014", "Gwet (2014)", "book", {
        "author": "Gwet, Kilem L.", "title": "{Handbook of Inter-Rater Reliability}", "edition": "4",
        "publisher": "Advanced Analytics", "year": "2014"}),
    _article("fleiss1971", "Fleiss (1971)", "Fleiss, Joseph L.", 1971,
             "Measuring Nominal Scale Agreement Among Many Raters", BULLETIN, "76(5):378--382"),
    Reference("krippendorff2011", "Krippendorff (2011)", "techreport", {
        "author": "Krippendorff, Klaus", "title": "{Computing Krippendorff's Alpha-Reliability}",
        "institution": "University of Pennsylvania", "year": "2011"}),
    _article("mcgraw1996", "McGraw & Wong (1996)", "McGraw, Kenneth O. and Wong, S. P.", 1996,
             "Forming Inferences About Some Intraclass Correlation Coefficients",
             "Psychological Methods", "1(1):30--46"),
    _article("pearson1896", "Pearson (1896)", "Pearson, Karl", 1896,
             "Mathematical Contributions to the Theory of Evolution. {III}. Regression, Heredity, and Panmixia",
             "Philosophical Transactions of the Royal Society of London A", "187:253--318"),
    _article("spearman1904", "Spearman (1904)", "Spearman, Charles", 1904,
             "The Proof and Measurement of Association between Two Things",
             "The American Journal of Psychology", "15(1):72--101"),
    _article("kendall1945", "Kendall (1945)", "Kendall, Maurice G.", 1945,
             "The Treatment of Ties in Ranking Problems", "Biometrika", "33(3):239--251"),
    _article("lin1989", "Lin (1989)", "Lin, Lawrence I-Kuei", 1989,
             "A Concordance Correlation Coefficient to Evaluate Reproducibility", "Biometrics", "45(1):255--268"),
    _article("bland1986", "Bland & Altman (1986)", "Bland, J. Martin and Altman, Douglas G.", 1986,
             "Statistical Methods for Assessing Agreement between Two Methods of Clinical Measurement",
             "The Lancet", "327(8476):307--310"),
    _article("efron1979", "Efron (1979)", "Efron, Bradley", 1979,
             "Bootstrap Methods: Another Look at the Jackknife", "The Annals of Statistics", "7(1):1--26"),
    _article("wilson1927", "Wilson (1927)", "Wilson, Edwin B.", 1927,
             "Probable Inference, the Law of Succession, and Statistical Inference",
             "Journal of the American Statistical Association", "22(158):209--212"),
    Reference("westfall1993", "Westfall & Young (1993)", "book", {
        "author": "Westfall, Peter H. and Young, S. Stanley",
        "title": "{Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment}",
        "publisher": "Wiley", "year": "1993"}),
    _article("benjamini1995", "Benjamini & Hochberg (1995)", "Benjamini, Yoav and Hochberg, Yosef", 1995,
             "Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple Testing",
             "Journal of the Royal Statistical Society: Series B", "57(1):289--300"),
    _article("benjamini2001", "Benjamini & Yekutieli (2001)", "Benjamini, Yoav and Yekutieli, Daniel", 2001,
             "The Control of the False Discovery Rate in Multiple Testing under Dependency",
             "The Annals of Statistics", "29(4):1165--1188"),
    Reference("phipson2010", "Phipson & Smyth (2010)", "article", {
        "author": "Phipson, Belinda and Smyth, Gordon K.",
        "title": "{Permutation P-values Should Never Be Zero: "
                 "Calculating Exact P-values When Permutations Are Randomly Drawn}",
        "journal": "Statistical Applications in Genetics and Molecular Biology",
        "year": "2010", "volume": "9", "number": "1", "pages": "39"}),
    _article("brier1950", "Brier (1950)", "Brier, Glenn W.", 1950,
             "Verification of Forecasts Expressed in Terms of Probability", "Monthly Weather Review", "78(1):1--3"),
    Reference("naeini2015", "Naeini, Cooper & Hauskrecht (2015)", "inproceedings", {
        "author": "Naeini, Mahdi Pakdaman and Cooper, Gregory F. and Hauskrecht, Milos",
        "title": "{Obtaining Well Calibrated Probabilities Using {B}ayesian Binning}",
        "booktitle": "Proceedings of the AAAI Conference on Artificial Intelligence", "year": "2015",
        "volume": "29", "pages": "2901--2907"}),
    Reference("angelopoulos2023", "Angelopoulos, Duchi & Zrnic (2023)", "misc", {
        "author": "Angelopoulos, Anastasios N. and Duchi, John C. and Zrnic, Tijana",
        "title": "{{PPI}++: Efficient Prediction-Powered Inference}",
        "howpublished": "arXiv:2311.01453", "year": "2023"}),
    _article("kottner2011", "Kottner et al. (2011)",
             "Kottner, Jan and Audig{\\'e}, Laurent and Brorson, Stig and Donner, Allan and Gajewski, Byron J. and "
             "Hr{\\'o}bjartsson, Asbj{\\o}rn and Roberts, Chris and Shoukri, Mohamed and Streiner, David L.", 2011,
             "Guidelines for Reporting Reliability and Agreement Studies ({GRRAS}) Were Proposed",
             "Journal of Clinical Epidemiology", "64(1):96--106"),
    Reference("calderon2025", "Calderon, Reichart & Dror (2025)", "inproceedings", {
        "author": "Calderon, Nitay and Reichart, Roi and Dror, Rotem",
        "title": "{The Alternative Annotator Test for {LLM}-as-a-Judge: "
                 "How to Statistically Justify Replacing Human Annotators with {LLM}s}",
        "booktitle": "Proceedings of the 63rd Annual Meeting of the Association for Computational Linguistics",
        "year": "2025"}),
)  # fmt: skip
# What every report rests on, besides the statistics it shows.
ALWAYS = ("efron1979", "kottner2011")


def source_key(source: str) -> str | None:
    """Return the BibTeX key of a statistic's source; None for what needs none."""
    return next((one.key for one in REFERENCES if source.startswith(one.short)), None)


def used(facts: Facts) -> list[Reference]:
    """Return the sources of the methods in a report."""
    keys = {*ALWAYS, *filter(None, (source_key(one.source) for one in explained(facts)))}
    if facts.detail is not None and facts.detail.alternative:
        keys.add("calderon2025")
    if facts.triage:
        keys.add("wilson1927")
    said = list(_said(facts))
    return [one for one in REFERENCES if one.key in keys or any(one.named_in(text) for text in said)]


def _said(facts: Facts) -> Iterator[str]:
    """Return the texts of the report that name sources of procedures, rather than of a statistic."""
    yield from (text for _label, text in procedures(facts))
    if population.estimates(facts) is not None:
        yield from population.method(facts)


def bibliography(facts: Facts) -> str:
    """Return the sources of a report and the program as BibTeX."""
    program = Reference(
        PROGRAM,
        "",
        "misc",
        {
            "author": "{The authors of toolkit}",
            "title": "{toolkit: Find Out Whether an LLM Judge Agrees with People}",
            "note": f"Version {__version__}",
        },
    )
    return "\n".join(one.bibtex for one in (*used(facts), program))


def render_bibliography(story: Story) -> bytes:
    """Return references.bib."""
    return bibliography(Facts(story)).encode()


def render_citation(story: Story) -> bytes:
    """Return CITATION.cff: how to cite the program, and the methods of this report as its references."""
    lines = [
        "cff-version: 1.2.0",
        "message: Please cite the program, and the sources of the methods you use (references.bib).",
        "title: toolkit",
        "abstract: Find out whether an LLM judge agrees with people.",
        "type: software",
        f"version: {__version__}",
        "authors:",
        "  - name: The authors of toolkit",
        "references:",
    ]
    for one in used(Facts(story)):
        lines += _cff(one)
    return ("\n".join(lines) + "\n").encode()


def _cff(one: Reference) -> list[str]:
    kind = {
        "article": "article",
        "book": "book",
        "techreport": "report",
        "inproceedings": "conference-paper",
        "misc": "generic",
    }[one.kind]
    lines = [f"  - type: {kind}", f"    title: {_quoted(one.fields['title'])}", "    authors:"]
    for author in one.fields["author"].split(" and "):
        family, _comma, given = author.partition(", ")
        lines += [f"      - family-names: {_quoted(family)}", f"        given-names: {_quoted(given)}"]
    lines.append(f"    year: {one.fields['year']}")
    for ours, theirs in (("journal", "journal"), ("volume", "volume"), ("number", "issue")):
        if ours in one.fields:
            lines.append(f"    {theirs}: {_quoted(one.fields[ours])}")
    return lines


def _quoted(text: str) -> str:
    for accent, letter in (("{\\'e}", "é"), ("{\\'o}", "ó"), ("{\\o}", "ø")):
        text = text.replace(accent, letter)
    return '"' + text.replace("{", "").replace("}", "").replace('"', "'") + '"'


def citation(facts: Facts) -> str:
    """Return how to cite the report."""
    _, story = facts._, facts.story
    year = story.date[:4] or _("no date")
    known = story.study.study_id if story.study else next((digest[:12] for _n, digest in story.files.values()), "")
    return _(
        "[Your names] ({year}). Validation of an LLM judge: {title} [report]. Study {study}. "
        "Made with toolkit {version}, seed {seed}.",
        year=year,
        title=clean(story.title),
        study=known,
        version=__version__,
        seed=facts.analysis.options.seed,
    )
