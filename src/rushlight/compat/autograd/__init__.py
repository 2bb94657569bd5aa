"""What ``torch.autograd`` has beside the engine: names of other rooms, imported as ``rushlight.autograd.gradcheck`` and so on."""
