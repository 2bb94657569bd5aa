"""Subclasses of Tensor that have a base which is no tensor: what they show of themselves is what programs gave them."""

import rushlight as torch


class Noted:
    """A class of no tensors, as MONAI's tensors have beside Tensor."""


def test_attributes_of_a_class_with_another_base_are_copied_without_its_numbers():
    class First(Noted, torch.Tensor):
        pass

    class Parameter(Noted, torch.nn.Parameter):
        pass

    class Last(torch.Tensor, Noted):
        pass

    for kind in (First, Parameter, Last):
        one, other = torch.arange(2.0).as_subclass(kind), torch.tensor([4.0, 5.0, 6.0], dtype=torch.float64).as_subclass(kind)
        one.note = 3
        assert one.__dict__ == vars(one) == {"note": 3}
        other.__dict__ = one.__dict__.copy()
        assert other.note == 3 and other.tolist() == [4.0, 5.0, 6.0] and other.dtype is torch.float64
        other.requires_grad_()
        (other * other).sum().backward()
        assert other.grad.tolist() == [8.0, 10.0, 12.0] and other.__dict__ == {"note": 3}
