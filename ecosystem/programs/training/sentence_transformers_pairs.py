"""sentence-transformers: sentences as averages of words' vectors, its losses with their gradients, and its searches."""

import os
import tempfile
import warnings

import torch

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
warnings.simplefilter("ignore")

from sentence_transformers import SentenceTransformer, losses, util  # noqa: E402
from sentence_transformers.models import Dense, Normalize, StaticEmbedding  # noqa: E402
from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: E402

names = ["[PAD]", "[UNK]", *"the a cat dog sat ran on mat far away and then it".split()]
inner = Tokenizer(models.WordLevel({name: i for i, name in enumerate(names)}, unk_token="[UNK]"))
inner.pre_tokenizer = pre_tokenizers.Whitespace()
folder = tempfile.mkdtemp()
torch.manual_seed(0)
words = StaticEmbedding(inner, embedding_dim=16)
model = SentenceTransformer(modules=[words, Dense(16, 8), Normalize()], device="cpu")
left, right = ["the cat sat", "a dog ran far away", "it ran"], ["a cat sat on the mat", "the dog ran", "and then it sat"]
features = [model.tokenize(side) for side in (left, right)]
for loss_of, labels in (
    (losses.MultipleNegativesRankingLoss(model), None),
    (losses.CosineSimilarityLoss(model), torch.tensor([0.9, 0.8, 0.1])),
    (losses.CoSENTLoss(model), torch.tensor([0.9, 0.8, 0.1])),
    (losses.ContrastiveLoss(model), torch.tensor([1, 1, 0])),
):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(2):
        optimizer.zero_grad()
        loss = loss_of([dict(one) for one in features], labels)
        loss.backward()
        optimizer.step()
    print(type(loss_of).__name__, f"{loss.item():.4f}")
codes = model.encode(left + right, convert_to_tensor=True)
print(tuple(codes.shape), util.cos_sim(codes[:3], codes[3:]))
found = util.semantic_search(codes[:1], codes[1:], top_k=2)[0]
print([(one["corpus_id"], round(one["score"], 4)) for one in found])
model.save(folder + "/whole")
again = SentenceTransformer(folder + "/whole", device="cpu").encode(left)
print(abs(again - codes[:3].cpu().numpy()).max() < 1e-5)
