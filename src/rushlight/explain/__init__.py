"""What ``backward`` did, on the program itself: ``rushlight.explain()`` records a block, ``rushlight.explain(out)`` reads a graph."""
