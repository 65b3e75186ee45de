"""Running LLM judges: prompts, providers, a store of paid answers, parsing, verdicts.

One call asks about one item (jr-11, a batch reply that omits or reorders items, therefore cannot occur: no reply is
ever matched to an item by its position or by an identifier the model wrote).
"""
