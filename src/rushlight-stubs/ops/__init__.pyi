# Written by tools/stubs.py; `make stubs` writes it anew.

class _Mkldnn:
    """torch.ops.mkldnn: what its library, of which there is none here, could compute faster."""
class _Profiler:
    """torch.ops.profiler: what record_function is made of in PyTorch."""
