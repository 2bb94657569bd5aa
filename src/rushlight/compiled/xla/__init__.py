"""Traces compiled by XLA, through JAX, which is imported when the first is (extra ``xla``)."""
