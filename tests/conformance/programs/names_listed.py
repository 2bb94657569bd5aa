"""What dir() lists of the modules: what tab completion and tools that look around go by."""

import inspect

import torch

WANTED = {
    torch: "sin matmul Tensor float32 nn autograd linalg optim cuda relu_ manual_seed no_grad",
    torch.nn: "Linear Module functional init utils parallel Parameter",
    torch.nn.functional: "relu relu_ conv2d cross_entropy softmax scaled_dot_product_attention",
    torch.linalg: "norm svd solve LinAlgError",
    torch.fft: "rfft irfft2 fftshift",
    torch.special: "gammaln expit bessel_j0",
    torch.autograd: "backward grad Function Variable functional forward_ad gradcheck gradgradcheck graph no_grad",
    torch.autograd.graph: "save_on_cpu saved_tensors_hooks Node register_multi_grad_hook increment_version",
    torch.functional: "einsum norm split",
    torch.func: "vmap grad jacrev functional_call",
    torch.optim: "SGD Adam lr_scheduler Optimizer",
    torch.optim.lr_scheduler: "StepLR OneCycleLR",
    torch.distributions: "Normal Categorical kl_divergence",
    torch.utils: "data checkpoint",
    torch.utils.data: "DataLoader TensorDataset random_split",
    torch.amp: "autocast GradScaler",
    torch.Tensor: "backward grad add_ relu softmax",
}
for home, names in WANTED.items():
    listed = dir(home)
    print(home.__name__, [name for name in names.split() if name not in listed], listed == sorted(listed))
    if inspect.ismodule(home):
        print([name for name in ("add_", "no_such_name", "mul_") if name in listed])

functions = dict(inspect.getmembers(torch.linalg, callable))
print(len(functions) > 30, functions["det"](torch.eye(2)))
