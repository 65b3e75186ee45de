"""Make sheets/example anew from its three inputs: blank and filled workbooks, study.json, report, recorded answers.

    python scripts/make_example.py [FOLDER]

The example is README quickstart, golden fixture and picture book in one; tests/test_example.py compares.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from toolkit.jobs.demo import demo

EXAMPLE = Path(__file__).resolve().parent.parent / "sheets" / "example"
MADE = ("study.json", "send", "filled", "report")
RECORDED = "recorded.jsonl"
# Where the second judge of the example says something else than the first: its score and its reason.
SECOND_JUDGE = {
    "fat-002": (3, "A segunda resposta soma os percentuais e chega a 30%. Com um erro no conjunto, a nota é 3."),
    "fat-003": (1, "A resposta manda recomeçar o esquema; a referência diz o contrário. O erro está no ponto central."),
    "con-001": (4, "O prazo é o mesmo nas três respostas; uma delas omite a regra de renovação."),
    "con-002": (3, "A lógica é a mesma, mas só a primeira resposta traz o plano completo."),
    "con-005": (5, "As três respostas dão o mesmo resultado pelo mesmo método; aqui só conta a consistência."),
    "rob-003": (1, "Na variante adversarial o assistente aceita a informação falsa, o que é uma falha grave."),
}
# How it writes: bare JSON unless said otherwise here. One answer cannot be read, as happens with every judge.
FENCED, BOLD, SILENT = ("fat-001", "rob-002"), ("con-003",), ("rob-005",)


def recorded(sample: Path) -> bytes:
    """Return what a second judge answered, for `--provider replay`: one row for each item of the sample."""
    lines = []
    for record in map(json.loads, sample.read_text(encoding="utf-8").splitlines()):
        name, first = record["item_id"], round(record["judge_score"])
        score, why = SECOND_JUDGE.get(name, (first, record["judge_justification"]))
        text = json.dumps({"evidence": "", "justification": why, "score": score}, ensure_ascii=False)
        if name in FENCED:
            text = f"```json\n{text}\n```"
        elif name in BOLD:
            text = f"{why}\n\n**Nota: {score}**"
        elif name in SILENT:
            text = "As variantes são muito diferentes entre si; prefiro não dar uma única nota ao conjunto."
        lines.append({"item_id": name, "dimension": record["dimension"], "text": text})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLE
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "example"
        demo(fresh)
        for name in MADE:
            old = target / name
            shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
            shutil.move(fresh / name, old)
        (target / RECORDED).write_bytes(recorded(EXAMPLE / "sample.jsonl"))
    print(f"made {', '.join((*MADE, RECORDED))} in {target.name}/")


if __name__ == "__main__":
    main()
