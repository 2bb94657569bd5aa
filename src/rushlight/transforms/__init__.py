"""``vmap``: how functions of single examples run on batches, and which transforms of functions are running.

`dynamic_layers.py`    the running transforms, ``grad`` and ``jvp`` among them
`batched_tensors.py`   tensors that look like one example and carry all
`outlines.py`          what takes the place of their arrays
`rules/`               how each op takes the batch along
`creation.py`          functions that make tensors, random ones too
`custom_functions.py`  Functions of the user
`vmap.py`              the transform
"""
