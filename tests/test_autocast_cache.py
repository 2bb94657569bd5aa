"""What autocast casts, and that what it casts a leaf to is kept until its outermost block ends."""

import rushlight as torch


def cast_of(product):
    return product.grad_fn.next_functions[1][0]


def test_a_leaf_is_cast_once_in_a_block():
    x, w = torch.ones(2, 2), torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        first = x @ w
        with torch.autocast("cpu"):
            assert cast_of(x @ w) is cast_of(first)
        assert cast_of(x @ w) is cast_of(first)
        torch.clear_autocast_cache()
        assert cast_of(x @ w) is not cast_of(first)
    with torch.autocast("cpu"):
        assert cast_of(x @ w) is not cast_of(first)
    with torch.autocast("cpu", cache_enabled=False):
        assert cast_of(x @ w) is not cast_of(x @ w)


def test_only_products_of_matrices_are_cast():
    x, row = torch.ones(2, 2), torch.ones(2)
    with torch.autocast("cpu"):
        cast = [torch.einsum("ij,jk->ik", x, x), torch.einsum("i,i->", row, row), torch.inner(x, row)]
        plain = [
            torch.einsum("ii->i", x),
            torch.einsum("i,j->ij", row, row),
            torch.inner(row, row),
            torch.inner(x[:1, :1], x[:1, :1]),
        ]
    assert {one.dtype for one in cast} == {torch.bfloat16} and {one.dtype for one in plain} == {torch.float32}


def test_a_trace_keeps_no_cast():
    layer, x = torch.nn.Linear(2, 2), torch.ones(3, 2)
    whole = torch.compile(lambda x: layer(x).float().sum())
    for value in range(4):
        with torch.no_grad(), torch.autocast("cpu"):
            layer.weight.fill_(value)
            layer.bias.zero_()
            torch.clear_autocast_cache()
            assert float(whole(x)) == 12 * value
