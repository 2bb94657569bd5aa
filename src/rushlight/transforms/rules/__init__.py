"""The rules by which ops take a batch along: from the inputs and parameters for one example those for all.

`forms.py` has those that follow from an op's kind or its parameters' names, and where a rule is found; the other files have
the rules of families.
"""

from . import forms, indices, losses, networks, products, reductions, views
