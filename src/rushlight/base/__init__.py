"""What needs nothing of the engine: dtypes, devices, sizes."""
