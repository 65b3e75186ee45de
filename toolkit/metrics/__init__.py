"""Automatic metrics of answers: figures that know nothing of right and wrong, to stand beside a judge's scores."""
