"""Traces of forward passes as ONNX models, by the package ``onnx``, which is imported when the first is made (extra ``onnx``)."""
