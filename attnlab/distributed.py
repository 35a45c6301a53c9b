"""Training on several devices, one process each, for those who outgrow one.

Write a script that trains as always, and put four names into it:

    import torch
    from attnlab import fit, teacher_forcing
    from attnlab.distributed import averaged, own_part, processes, replicated

    with processes() as device:
        torch.manual_seed(0)                        # the same parameters in every process
        model = new_model().to(device)
        replica = replicated(model)                 # its gradients are averaged over all processes

        def loss(generator):                        # the same batch in every process, of which each takes its part
            batch = [own_part(part).to(device) for part in task.batch(128, generator)]
            return teacher_forcing(replica, *batch)

        for step in averaged(fit(model, loss, steps=300)):
            ...

Started with `torchrun --nproc-per-node 2 train.py` it runs twice and both train one model, which learns as one process
would with the whole batch; started with `python train.py` it runs alone. On CUDA each process has a GPU of its own. Let
only the first process print or save: `rank() == 0`.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from attnlab.checks import checked
from attnlab.training import Step


@checked
@contextmanager
def processes() -> Iterator[torch.device]:
    """Joins the processes that `torchrun` started, for as long as the block runs; gives this process its device.

    They speak through nccl where there is CUDA, else through gloo. Alone, without torchrun, nothing is joined.
    """
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0))) if cuda else torch.device("cpu")
    if not dist.is_torchelastic_launched():
        yield device
        return
    if cuda:
        torch.cuda.set_device(device)
    # Its functions take the group as a default: loaded later, as by the first optimiser, they would keep it for ever,
    # and gloo's threads, which outlive it, now and then abort the interpreter at its end.
    import_module("torch.distributed.nn")
    dist.init_process_group("nccl" if cuda else "gloo")
    try:
        yield device
    finally:
        dist.destroy_process_group()


@checked
def rank() -> int:
    """Which of the processes this is, from 0; 0 when it is alone."""
    return dist.get_rank() if dist.is_initialized() else 0


@checked
def size() -> int:
    """How many processes there are."""
    return dist.get_world_size() if dist.is_initialized() else 1


@checked
def replicated(model: nn.Module) -> nn.Module:
    """Called as the model is; its backward pass leaves in every process the mean of all processes' gradients.

    The parameters are those of `model`, made equal to those of process 0.

    **Source:** Li et al. 2020, "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", section 3.
    """
    return DistributedDataParallel(model) if size() > 1 else model


@checked
def own_part(batch: Tensor) -> Tensor:
    """This process's rows of a batch that all processes drew alike: as many for each, else ValueError.

    The mean of the parts' losses is the loss of the batch where each part counts as much as another: with padding,
    which a mean over tokens leaves out, only nearly.
    """
    if not batch.ndim or len(batch) % size():
        raise ValueError(f"expected a batch that {size()} processes can share evenly, got shape {list(batch.shape)}")
    return batch.chunk(size())[rank()]


@checked
def averaged(training: Iterable[Step]) -> Iterator[Step]:
    """The steps of `training` with the mean loss of all processes instead of this process's own."""
    for step in training:
        if size() > 1:
            loss = torch.tensor(step.loss, dtype=torch.float64)
            loss = loss.cuda() if dist.get_backend() == "nccl" else loss
            dist.all_reduce(loss)
            step = step._replace(loss=loss.item() / size())
        yield step
