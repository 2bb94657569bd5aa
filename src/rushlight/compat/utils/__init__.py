"""What ``torch.utils`` only passes on, imported as ``rushlight.utils.model_zoo``."""
