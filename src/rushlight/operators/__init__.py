"""Operators as PyTorch knows them below autograd: by their names and schemas."""
