# %% [markdown]
# # A mappability plot
# How many places has a read of 100 bases from here, within 2 edits? The mappability of a position is 1 / that number.

# %%
import numpy as np
import trawl
from draw_svg import DATA, bars

ref = trawl.Reference(DATA / "repeats.fa.gz")
length, step = 100, 50
starts = np.arange(0, ref.bases - length, step)
reads = [ref.letters(0, s, s + length) for s in starts.tolist()]
found = ref.map(reads, report="all", edits=2)

# %%
places = np.bincount(found["read"][found["start"] >= 0], minlength=len(starts))
unambiguous = [("N" not in read) for read in reads]
assert (places[unambiguous] >= 1).all()
value = 1 / np.maximum(places, 1)
print(f"unique: {(places == 1).mean():.1%} of the positions; the most places: {places.max()}")

# %% [markdown]
# The mean of 2,000 bases at a time.

# %%
per = 2000 // step
means = [float(value[i : i + per].mean()) for i in range(0, len(value), per)]
picture = bars([round(mean, 3) for mean in means], "Mappability, 100 bases, 2 edits, mean of 2,000 bases", "position (kbp)",
               "mappability", {i: str(i * 2) for i in range(0, len(means), 20)})
