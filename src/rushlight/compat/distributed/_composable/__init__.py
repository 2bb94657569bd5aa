"""torch.distributed._composable: what ``torch.distributed.fsdp`` was called before."""
