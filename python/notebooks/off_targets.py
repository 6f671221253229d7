# %% [markdown]
# # Off-targets of a guide
# Where else may a guide cut? Up to 4 edits, of which at most 2 are bases in bulges, with NGG beside them.

# %%
import numpy as np
import trawl
from draw_svg import DATA, bars

sites = trawl.scan(DATA / "repeats.fa.gz", DATA / "guides.tsv", edits=4, max_bulges=2, pam="NGG")
print(len(sites), "sites of", len(set(sites["name"])), "guides")
assert len(sites) == 37

# %% [markdown]
# The sites of the first guide, the closest ones first, and the closest one drawn.

# %%
mine = np.flatnonzero(sites["name"] == "guide1")
mine = mine[np.argsort(sites["distance"][mine], kind="stable")]
for i in mine[:5]:
    row = sites[i]
    print(row["contig"], row["start"], row["end"], row["strand"], row["distance"], row["sequence"])
print(sites.explain(mine[0]))

# %% [markdown]
# How many sites each guide has at each distance. A good guide has one site at 0 and few at 1 to 3.

# %%
counts = np.zeros((4, 5), dtype=int)
np.add.at(counts, (sites["pattern"], sites["distance"]), 1)
print(counts)
assert counts.sum() == len(sites)

# %%
labels = {i: f"{'guide' + str(i // 5 + 1) + ': ' if i % 5 == 0 else ''}{i % 5}" for i in range(20)}
picture = bars(counts.ravel().tolist(), "Sites of four guides by distance", "distance", "sites", labels)
