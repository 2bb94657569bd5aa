"""``Distribution``: what every family is."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self

import rushlight as torch

from . import constraints
from .utils import lazy_property

if TYPE_CHECKING:
    from ..base.size import Size
    from ..tensor import Tensor

__all__ = ["Distribution"]


def _require(valid: Tensor) -> None:
    """ValueError unless all of it is true: what compiled functions do anew each time."""
    if not valid.all():
        raise ValueError("invalid values in a distribution")


class Distribution:
    """A family of distributions over tensors.

    ``batch_shape``    the shape of distributions beside each other, each with parameters of its own
    ``event_shape``    the shape of one value of one of them
    ``validate_args``  check parameters and values (where Python runs with assertions, unless said otherwise)

    A family names in ``_parameters`` the tensors that :meth:`expand` must expand, and in ``_fixed`` what it copies.
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__
    _parameters: tuple[str, ...] | None = None
    _fixed: tuple[str, ...] = ()

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions made from now on check their parameters and values. ValueError unless a bool."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        self._batch_shape = (
            torch.Size(batch_shape) if type(batch_shape) is tuple else batch_shape
        )  # else as it is, as in PyTorch
        self._event_shape = torch.Size(event_shape) if type(event_shape) is tuple else event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _check_parameters(self) -> None:
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            arg_constraints = {}
            warnings.warn(
                f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize the "
                "distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
        for name, constraint in arg_constraints.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name, None), lazy_property):
                continue  # computed from one that is checked
            value = getattr(self, name)
            valid = constraint.check(value)
            try:
                _require(valid)
            except ValueError:
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                ) from None

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        """The same distribution with parameters expanded to ``batch_shape``, without copying them.

        A family of one's own with an ``__init__`` of its own must define this too, else NotImplementedError.
        """
        family = next((kind for kind in type(self).__mro__ if vars(kind).get("_parameters") is not None), None)
        if family is None:
            raise NotImplementedError
        new = self._get_checked_instance(family, _instance)
        shape = torch.Size(batch_shape)
        for name in family._parameters:  # type: ignore[attr-defined]
            if name in self.__dict__:
                parameter = self.__dict__[name]
                setattr(new, name, parameter.expand(shape + parameter.shape[len(self._batch_shape) :]))
        for name in family._fixed:  # type: ignore[attr-defined]
            setattr(new, name, getattr(self, name))
        return self._expanded(new, shape)

    def _expanded(self, new: Any, batch_shape: Any) -> Any:
        """Finishes what :meth:`expand` makes: nothing is checked again."""
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        if _instance is not None:
            return _instance
        if type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also define "
                "a custom .expand() method."
            )
        return self.__new__(type(self))

    @property
    def batch_shape(self) -> Size:
        """The shape of the distributions that this is, side by side."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one value."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """Where each parameter may lie."""
        raise NotImplementedError

    @property
    def support(self) -> constraints.Constraint:
        """Where values lie."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Values of shape ``sample_shape + batch_shape + event_shape``, cut off from the parameters."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Values that have a gradient with regard to the parameters, where ``has_rsample``."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """``n`` values: the older way to write ``sample((n,))``."""
        warnings.warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning, stacklevel=2)
        return self.sample(torch.Size((n,)))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density, or of the probability, at ``value``. ValueError outside the support."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Tensor:
        """The probability of at most ``value``."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Tensor:
        """The inverse of :meth:`cdf`."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution, along the first dimension; ``expand`` over the batch, or not."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy of each distribution of the batch."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape: Any = ()) -> Any:
        return torch.Size(sample_shape) + self._batch_shape + self._event_shape

    def _validate_sample(self, value: Any) -> None:
        """ValueError for a value of another type or shape, or outside the support."""
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, event_shape = value.shape, self._event_shape
        if shape[len(shape) - len(event_shape) :] != event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {event_shape}.")
        expected = self._batch_shape + event_shape
        for have, need in zip(reversed(shape), reversed(expected), strict=False):
            if have != 1 and need != 1 and have != need:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the distribution "
                "with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        if support is None:
            raise AssertionError("support is unexpectedly None")
        valid = support.check(value)
        try:
            _require(valid)
        except ValueError:
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(shape)}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            ) from None

    def __repr__(self) -> str:
        shown = []
        for name in self.arg_constraints:
            if name in self.__dict__:
                value = self.__dict__[name]
                shown.append(f"{name}: {value if value.numel() == 1 else value.size()}")
        return f"{type(self).__name__}({', '.join(shown)})"
