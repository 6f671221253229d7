# %% [markdown]
# # All places of a repeat family, and how many copies there are
# One copy of a repeat is cut into pieces; each piece is mapped with `report="all"`, so that every place is found.

# %%
import numpy as np
import trawl
from draw_svg import DATA, bars

ref = trawl.Reference(DATA / "repeats.fa.gz")
window, step = 100, 20

# %% [markdown]
# Which part of the contig is repeated most? Pieces of 100 bases, 10% edits.

# %%
starts = np.arange(0, ref.bases - window, 1000)
found = ref.map([ref.letters(0, s, s + window) for s in starts.tolist()], report="all", edits="10%")
copies = np.bincount(found["read"], minlength=len(starts))
center = int(starts[copies.argmax()])
print(f"the piece at {center} has {copies.max()} places")

# %% [markdown]
# The copies of the pieces around it: the family is as long as the number stays high.

# %%
around = np.arange(center - 400, center + 500, step)
pieces = ref.map([ref.letters(0, s, s + window) for s in around.tolist()], report="all", edits="10%")
number = np.bincount(pieces["read"], minlength=len(around))
for s, n in zip(around[::5], number[::5]):
    print(s, n)
assert number.max() >= copies.max()

# %% [markdown]
# How different are the copies? The distances of all places of the most repeated piece.

# %%
best = int(number.argmax())
distances = pieces["distance"][pieces["read"] == best]
print("distances:", np.bincount(distances).tolist())
assert len(distances) == number[best] and (distances == 0).sum() >= 1

# %% [markdown]
# The depth of the places of these pieces shows where the copies lie.

# %%
depth = pieces.depth(window=2000)
print("windows with a copy:", int((depth > 0).sum()), "of", len(depth))
picture = bars(number.tolist(), f"Copies of pieces of {window} bases, within 10% edits", "position of the piece", "copies",
               {0: str(around[0]), len(around) // 2: str(around[len(around) // 2]), len(around) - 1: str(around[-1])})
