"""The rules by which ops take a batch along: from the inputs and parameters for one example those for all."""

from . import forms, indices, networks
