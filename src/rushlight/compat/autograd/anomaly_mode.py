"""torch.autograd.anomaly_mode: the module that PyTorch keeps anomaly detection in."""

from rushlight.autograd.modes import detect_anomaly, set_detect_anomaly

__all__ = ["detect_anomaly", "set_detect_anomaly"]
