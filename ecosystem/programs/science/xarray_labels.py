"""xarray with tensors for its data: labels choose, align and group; sums and means leave out what is missing."""

import numpy as np
import torch
import xarray as xr

days = np.arange("2024-01-01", "2024-01-09", dtype="datetime64[D]")
values = torch.sin(torch.arange(24.0, dtype=torch.float64)).reshape(8, 3)
values[2, 1] = float("nan")
heat = xr.DataArray(values, dims=("day", "place"), coords={"day": days, "place": ["coast", "hill", "town"]}, name="heat")


def show(name, array):
    print(name, array.dims, [round(float(v), 6) for v in np.asarray(array.data).ravel()])


show("chosen", heat.sel(place="hill").isel(day=slice(0, 4)))
show("transposed", heat.transpose("place", "day").isel(day=0))
for name in ("sum", "mean", "max", "min", "prod", "std", "var", "median", "count"):
    show(name, getattr(heat, name)("day"))
show("kept", heat.mean("day", skipna=False))
show("ddof", heat.std("day", ddof=1))
show("cumsum", heat.cumsum("day").isel(day=-1))
show("argmax", heat.argmax("day"))
show("weekday", heat.isel(place=0).groupby("day.weekday").mean())
show("arithmetic", (heat - heat.mean("place")).isel(day=0))
show("aligned", heat.isel(day=slice(0, 3), place=0) + heat.isel(day=slice(1, 5), place=1))
show("where", heat.where(heat > 0, 0.0).sum("day"))
show("filled", heat.fillna(0.0).sum("day"))
show("dot", xr.dot(heat.fillna(0.0), heat.fillna(0.0), dim="day"))
show("concatenated", xr.concat([heat, heat], dim="run").sum(("day", "run")))
dataset = xr.Dataset({"heat": heat, "twice": heat * 2})
print(sorted(dataset.data_vars), dict(dataset.sizes), float(dataset["twice"].sel(day="2024-01-03", place="coast")))
