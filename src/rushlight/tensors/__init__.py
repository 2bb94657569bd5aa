"""What is made of tensors and asked of them: creation, conversion, arguments, printing, copying."""
