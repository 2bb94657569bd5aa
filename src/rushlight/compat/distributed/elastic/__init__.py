"""torch.distributed.elastic: programs that processes join and leave. There is one process; libraries import a name from here."""
