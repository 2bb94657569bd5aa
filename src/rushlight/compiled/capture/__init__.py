"""Traces of programs that ran: what they did with tensors, to be done again without the program (rooms `replay`, `xla`)."""
