import torch
import torch.nn.functional as F

for order in (float("inf"), -float("inf"), 2.0, 1.0):
    for values in ([1.0, float("nan"), -2.0], [0.0, 0.0], [float("inf"), 1.0]):
        x = torch.tensor([values, [1.0] * len(values)], requires_grad=True)
        norms = torch.linalg.vector_norm(x, ord=order, dim=1)
        norms.sum().backward()
        print(order, norms, x.grad)

# Two steps are too few for three labels.
log_probs = torch.log_softmax(torch.arange(24.0).reshape(4, 2, 3).sin(), 2).requires_grad_()
targets, lengths = torch.tensor([[1, 2, 1], [2, 1, 2]]), torch.tensor([3, 1])
for zero_infinity in (False, True):
    loss = F.ctc_loss(log_probs, targets, torch.tensor([2, 4]), lengths, reduction="none", zero_infinity=zero_infinity)
    loss.sum().backward()
    print(loss, log_probs.grad)
    log_probs.grad = None
