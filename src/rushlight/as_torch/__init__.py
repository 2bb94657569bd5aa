"""Standing in for PyTorch: programs that say `import torch`, what they are shown, and telling whether one can run."""
