"""What tensors are made by: sizes, data, ranges, other tensors, other libraries' memory and random numbers."""
