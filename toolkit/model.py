"""What the toolkit talks about: scale, rubric, item, judgement, annotation, study.

Everything here is frozen. `Item` is what an annotator may see and nothing else; a `SourceItem` is the
coordinator's view of it, with its real identifier and origin; a `Judgement` is what a judge said. Keeping the three
apart is what makes an annotator's workbook blind by construction.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from toolkit.texts import plain_key

SHORT_FORM_CHARACTERS = 45
INPUT_MESSAGE_CHARACTERS = 255
# Beyond it nobody scores, and programs no longer keep numbers apart.
LARGEST_VALUE = 1_000_000

Value = int | str


class Frozen(BaseModel):
    """A value object of ours: immutable, and unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _keyed(mapping: Any, values: Any) -> Any:
    """Return a mapping whose keys are scale values again: in JSON the key 1 has become "1"."""
    if not isinstance(mapping, dict) or not isinstance(values, list | tuple):
        return mapping
    known = {str(value): value for value in values}
    return {known.get(str(key), key): content for key, content in mapping.items()}


class Scale(Frozen):
    """The values a score may take, the same for people and judge.

    Attributes:
        kind: `ordinal` (numbers in order, distances mean something) or `nominal` (names without order).
        values: The values, lowest first: whole numbers for an ordinal scale, names for a nominal one.
        labels: One or two words for a value, where there are any.
        descriptions: The general meaning of a value, where there is one.
    """

    kind: Literal["ordinal", "nominal"] = "ordinal"
    values: tuple[Value, ...] = (1, 2, 3, 4, 5)
    labels: dict[Value, str] = Field(default_factory=dict)
    descriptions: dict[Value, str] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _restore(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "values" not in data:
            return data
        values = data["values"]
        if isinstance(values, list | tuple) and any(isinstance(value, bool) for value in values):
            raise ValueError("yes, no, on and off are not names in YAML: put quotes around them")
        return data | {key: _keyed(data[key], values) for key in ("labels", "descriptions") if key in data}

    @model_validator(mode="after")
    def _check(self) -> Scale:
        if len(self.values) < 2:
            raise ValueError("a scale needs at least two values")
        if len({plain_key(str(value)) for value in self.values}) < len(self.values):
            raise ValueError("a scale cannot have the same value twice")
        if self.kind == "ordinal":
            numbers = [value for value in self.values if isinstance(value, int)]
            if len(numbers) < len(self.values):
                raise ValueError("the values of an ordinal scale are whole numbers")
            if max(map(abs, numbers)) > LARGEST_VALUE:
                raise ValueError(f"the values of an ordinal scale lie between -{LARGEST_VALUE:,} and {LARGEST_VALUE:,}")
            if numbers != sorted(numbers):
                raise ValueError("the values of an ordinal scale go from the lowest to the highest")
        elif not all(isinstance(value, str) and value.strip() for value in self.values):
            raise ValueError("the values of a nominal scale are names (put quotes around yes and no)")
        for name in ("labels", "descriptions"):
            unknown = [value for value in getattr(self, name) if value not in self.values]
            if unknown:
                raise ValueError(f"{name} has {unknown[0]!r}, which is not a value of the scale")
        spoken = [plain_key(label) for label in self.labels.values()]
        if len(set(spoken)) < len(spoken):
            raise ValueError("two values have the same label")
        return self

    @property
    def codes(self) -> tuple[float, ...]:
        """The number that stands for each value in arrays: the value itself, or its place on a nominal scale."""
        if self.kind == "nominal":
            return tuple(float(place) for place in range(len(self.values)))
        return tuple(float(value) for value in self.values)

    @property
    def pass_mark(self) -> float:
        """The score from which an answer passes where nobody says another: the second highest, of two the higher."""
        return self.codes[-2 if len(self.codes) > 2 else -1]

    def code(self, value: float | str | None) -> float:
        """Return the number for a value, NaN for None; a mean such as 4.67 stays as it is on an ordinal scale.

        Raises:
            ValueError: When a nominal scale has no such value.
        """
        if value is None:
            return math.nan
        if self.kind == "ordinal":
            return float(value)
        return float(self.values.index(str(value)))

    def value(self, code: float) -> float | str | None:
        """Return the value for a number, None for NaN; whole numbers come back as int."""
        if math.isnan(code):
            return None
        if self.kind == "nominal":
            return str(self.values[int(code)]) if code == int(code) else None
        return int(code) if code == int(code) else code

    def holds(self, number: float) -> bool:
        """Return whether a number lies between the lowest and the highest value (fractions may, for a judge)."""
        return bool(self.codes[0] <= number <= self.codes[-1])

    def __str__(self) -> str:
        if self.kind == "ordinal" and self.codes[-1] - self.codes[0] + 1 == len(self.values):
            return f"{self.values[0]}-{self.values[-1]}"
        return ", ".join(map(str, self.values))


class Level(Frozen):
    """What one value of the scale means in one dimension: in full, and in a form that fits an input message."""

    short: str = Field(min_length=1, max_length=SHORT_FORM_CHARACTERS)
    description: str = Field(min_length=1)


class Example(Frozen):
    """A worked example: a text, the score it gets, and why."""

    text: str
    score: Value
    why: str


class Dimension(Frozen):
    """One thing that is judged, with its levels."""

    title: str
    question: str
    levels: dict[Value, Level]
    edge_cases: tuple[str, ...] = ()
    sets: str = ""
    examples: tuple[Example, ...] = ()


class Rubric(Frozen):
    """The scale and the dimensions, as annotators and judge read them."""

    schema_: Literal[1] = Field(default=1, alias="schema")
    name: str
    language: str
    scale: Scale
    dimensions: dict[str, Dimension]

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _restore(cls, data: Any) -> Any:
        scale, dimensions = (data.get(key) if isinstance(data, dict) else None for key in ("scale", "dimensions"))
        if not isinstance(scale, dict) or not isinstance(dimensions, dict):
            return data
        restored = {
            key: content | {"levels": _keyed(content.get("levels"), scale.get("values"))}
            if isinstance(content, dict)
            else content
            for key, content in dimensions.items()
        }
        return data | {"dimensions": restored}

    @model_validator(mode="after")
    def _check(self) -> Rubric:
        if not self.dimensions:
            raise ValueError("a rubric needs at least one dimension")
        for key, dimension in self.dimensions.items():
            missing = [str(v) for v in self.scale.values if v not in dimension.levels]
            unknown = [str(v) for v in dimension.levels if v not in self.scale.values]
            if missing:
                raise ValueError(f"dimension {key!r} describes no level {', '.join(missing)}")
            if unknown:
                raise ValueError(f"dimension {key!r} describes {', '.join(unknown)}, not on the scale")
            message = "\n".join(f"{v} = {dimension.levels[v].short}" for v in self.scale.values)
            bare = all(str(v).startswith(dimension.levels[v].short) for v in self.scale.values)
            if not bare and len(message) > INPUT_MESSAGE_CHARACTERS:
                raise ValueError(
                    f"the short forms of {key!r} need {len(message)} characters together; "
                    f"a spreadsheet's input message holds {INPUT_MESSAGE_CHARACTERS}"
                )
            wrong = [e.score for e in dimension.examples if e.score not in self.scale.values]
            if wrong:
                raise ValueError(f"an example of {key!r} has the score {wrong[0]!r}, not on the scale")
        return self


class Response(Frozen):
    """One answer of the chatbot, with the prompt it answers where that is not the item's own."""

    response: str
    prompt: str | None = None
    variant_type: str | None = None


class Item(Frozen):
    """What an annotator reads and scores. It knows nothing of models, providers, identifiers or judges."""

    item_code: str
    dimension: str
    prompt: str = ""
    ground_truth: str | None = None
    expected_behavior: str | None = None
    original_response: str | None = None
    responses: tuple[Response, ...]


class SourceItem(Frozen):
    """An item as the coordinator knows it: the texts, its real identifier and where it comes from."""

    item_id: str
    dimension: str
    prompt: str = ""
    ground_truth: str | None = None
    expected_behavior: str | None = None
    original_response: str | None = None
    responses: tuple[Response, ...] = ()
    category: str | None = None
    provider: str | None = None
    model: str | None = None
    difficulty: str | None = None
    stratum: str | None = None
    weight: float | None = None
    inclusion_probability: float | None = None
    cluster: str | None = None
    extra: dict[str, Any] = Field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """What tells one item from another: its identifier together with its dimension."""
        return self.item_id, self.dimension

    def blind(self, item_code: str) -> Item:
        """Return what an annotator may see of this item, under an opaque code."""
        return Item(
            item_code=item_code,
            dimension=self.dimension,
            prompt=self.prompt,
            ground_truth=self.ground_truth,
            expected_behavior=self.expected_behavior,
            original_response=self.original_response,
            responses=self.responses,
        )


class Trace(Frozen):
    """How a judgement came about, as `toolkit judge` records it beside the score.

    Attributes:
        method: The layer of the parser that read the answer (`parse_method`).
        failure: What went wrong where there is no score (`judge_failure`).
        reason: The same in words (`judge_reason`).
        clamped: The end of the scale, where the answer lay one step beyond it (`judge_clamped`).
        consistent: For a comparison, whether both orders agree (`position_consistent`).
        prompt: Hash of the prompt without the texts that are judged (`judge_prompt`).
    """

    method: str | None = None
    failure: str | None = None
    reason: str | None = None
    clamped: float | str | None = None
    consistent: bool | None = None
    prompt: str | None = None


class Judgement(Frozen):
    """What one judge said of one item.

    Attributes:
        score: The score, possibly a mean of several judgements; None where the judge gave none that could be read.
        scores: The single judgements behind it.
        unit: What `scores` are: repeated judgements of the whole `set`, or one for each `response` of the set.
        trace: How it came about, where that was recorded.
    """

    item_id: str
    dimension: str
    judge: str
    score: float | str | None = None
    scores: tuple[float, ...] = ()
    unit: Literal["set", "response"] | None = None
    justification: str | None = None
    confidence: float | None = None
    trace: Trace | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The item this is about."""
        return self.item_id, self.dimension


class Record(Frozen):
    """One line of a judged sample: an item and what judges said of it, the headline judge first."""

    item: SourceItem
    judgements: tuple[Judgement, ...] = ()


class Annotation(Frozen):
    """What one annotator entered for one item; `score` is None where the cell is empty.

    Attributes:
        minutes: Time from start to end, where both were recorded.
        place: Where it was read, for messages (`A1.xlsx > Sheet > H12`).
    """

    annotator: str
    item_code: str
    score: Value | None = None
    justification: str = ""
    doubt: bool = False
    notes: str = ""
    minutes: float | None = None
    place: str = ""

    @property
    def content(self) -> tuple[str, Value | None, str, bool, str, float | None]:
        """What was entered, without where: two copies of one file have the same."""
        return self.item_code, self.score, self.justification, self.doubt, self.notes, self.minutes


class SheetOptions(Frozen):
    """What the coordinator wants of the annotators' workbooks.

    Attributes:
        deadline: Until when, as it should be read.
        contact: Whom to ask.
        instructions: Further instructions, shown on the first sheet.
        practice: Whether two practice items, from the rubric's examples, come first; they are not scored.
        time_columns: Whether start and end of each item are asked for.
        require_justification: Whether an item without a justification counts as unfinished.
    """

    deadline: str | None = None
    contact: str | None = None
    instructions: str | None = None
    practice: bool = False
    time_columns: bool = False
    require_justification: bool = False


class Annotator(Frozen):
    """One of the people who score. The optional fields are for the report, filled in by the coordinator."""

    name: str
    role: str | None = None
    expertise: str | None = None
    language: str | None = None
    training: str | None = None
    hours: float | None = None


class GoogleSheet(Frozen):
    """An annotator's place in Google Sheets.

    Attributes:
        spreadsheet: The id of the spreadsheet.
        link: Where it is opened.
        tabs: Titles of the sheets that hold answers, the annotation first.
        mail: With whom it is to be shared.
        complete: Whether all its sheets were sent.
        shared: Whether it was shared.
    """

    spreadsheet: str
    link: str
    tabs: tuple[str, ...]
    mail: str | None = None
    complete: bool = False
    shared: bool = False


class Google(Frozen):
    """What a study has in Google Sheets.

    Attributes:
        folder: The folder of Drive they lie in; None for the top of My Drive.
        one_spreadsheet: Whether all annotators have tabs of one spreadsheet.
        editors: Mail addresses of those who may edit everything.
        notify: Whether Google sends each annotator a mail.
        sheets: Of each annotator, as far as they were made.
        closed: Whether the sheets were locked because annotation is over.
    """

    folder: str | None = None
    one_spreadsheet: bool = False
    editors: tuple[str, ...] = ()
    notify: bool = False
    sheets: dict[str, GoogleSheet] = Field(default_factory=dict)
    closed: bool = False
