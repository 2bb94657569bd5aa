"""What type checkers must refuse: each line that ends with `# wrong` and no other."""

import rushlight as torch
import rushlight.nn as nn
import rushlight.nn.functional as F
from rushlight.utils.data import DataLoader

x = torch.ones(2, 3)
torch.tahn(x)  # wrong
x.summ()  # wrong
F.sofmax(x, dim=1)  # wrong
i: int = x.sum()  # wrong
s: str = nn.Linear(2, 3)(x)  # wrong
n: int = x.max(dim=0).values  # wrong
x + "1"  # wrong
torch.sin("1")  # wrong
torch.ones(2, dtyp=torch.float32)  # wrong
torch.ones(2, dtype="float32")  # wrong
nn.Linear(2)  # wrong
nn.Linear("2", 3)  # wrong
nn.Linear(2, 3)(x, x)  # wrong
torch.sum(x, dimm=1)  # wrong
x.requires_grad = "yes"  # wrong
x.grad.sum()  # wrong
torch.optim.SGB(nn.Linear(2, 3).parameters())  # wrong
torch.linalg.sdv(x)  # wrong
torch.fft.fftt(x)  # wrong
i = x.size()  # wrong
torch.compile(x)  # wrong
DataLoader(3)  # wrong
i = torch.compile(torch.sin)(x)  # wrong
i = nn.init.xavier_normal(x)  # wrong
torch.optim.SGD(nn.Linear(2, 3).parameters(), lr="0.1")  # wrong
torch.stack(1)  # wrong
F.softmax(x, dim="1")  # wrong
i = torch.finfo(torch.float32).eps  # wrong
i = torch.autograd.functional.jacobian(torch.sin, x)  # wrong
s = torch.func.jvp(torch.sin, (x,), (x,))  # wrong
s = torch.float32.tahn  # wrong
i = torch.jit.trace(nn.Linear(2, 3), x)(x)  # wrong
nn.utils.skip_init(nn.Linear, 2, 3).sum()  # wrong
torch.compiler.disable(torch.sin)(x).summ()  # wrong
