"""``torch.compile``: functions and modules that are captured when first called, and replayed while nothing that they look at has
changed. This room alone knows the others (`capture`, `replay`, `xla`); nothing below knows of it."""
