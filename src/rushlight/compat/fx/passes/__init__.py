"""Passes over graphs: see shape_prop.py."""
