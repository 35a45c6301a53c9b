# %% [markdown]
# # Kernel regression: is attention older than its name?
#
# An average of what was measured nearby, weighted by how near: statisticians have used it since 1964. You draw curves
# with it, and find attention in it.
#
# **You will be able to** read kernel regression as attention with queries, keys and values, say what its bandwidth is
# in attention, and learn the bandwidth by gradient descent.
#
# **You should know** lesson 04.

# %%
import torch
from torch import nn

from attnlab import attend, dot
from attnlab.tasks.kernel_regression import measurements
from widgets import Chart, KernelRegressionExplorer, curve, figure, guess, points

torch.set_num_threads(1)

# %% [markdown]
# ## 1. The average of what is near
#
# Points were measured along a line, and a curve is wanted. Nadaraya and Watson, in 1964: the answer at a place is the
# average of all measurements, in which near ones count more. The place is the query, the points' places are the keys,
# the measurements are the values, and a softmax over $-\frac{1}{2}(q - k)^2 / h^2$ makes the weights. Nothing is
# learned.

# %% tags=["hide-input"]
guess("04b.bandwidth", then=KernelRegressionExplorer())

# %% [markdown]
# **Try** the bandwidth $h$. At 2 the curve has forgotten the waves; what is it at 0.05? The scores are divided by
# $h^2$: **the bandwidth squared is the temperature.** Then, back at 0.4, look at the rows of the matrix. Where points
# lie close together, many share the weight; at 5.0, beyond the last point, that point gets most of it: softmax shares
# out all of the weight, however far the nearest key is.
#
# ## 2. A distance is a product
#
# So far the score was a distance, not a product. But $-\frac{1}{2}|q - k|^2 = q \cdot k - \frac{1}{2}|k|^2 -
# \frac{1}{2}|q|^2$. The last term is the same for all keys of a row, so the softmax does not see it. Where all keys
# have the same length, the term before it is the same for all of them, and cancels, too. **Kernel regression is then
# dot-product attention:**

# %%
angle = torch.linspace(0, 6, 20)
key = torch.stack([angle.cos(), angle.sin()], dim=1)  # on a circle: all of length 1
query, value = torch.randn(7, 2), torch.randn(20, 3)


def near(query, key):
    return -torch.cdist(query, key) ** 2 / 2


by_distance = attend(query, key, value, score=near, temperature=0.3)
by_product = attend(query, key, value, score=dot, temperature=0.3)
assert torch.allclose(by_distance.weights, by_product.weights, atol=1e-5)

# %% [markdown]
# ## 3. The bandwidth, learned
#
# Which bandwidth is best? Let each point be guessed from the nineteen others: a mask keeps it from reading itself.
# The error has a derivative, since softmax has one, so the bandwidth can be **learned** by gradient descent like
# any weight. The curve is the error at each bandwidth; the mark is where sixty steps of descent from $h = 1$ end.

# %%
key, value = measurements()  # the twenty points of the picture, [20, 1] each
others = ~torch.eye(20, dtype=torch.bool)  # True = may attend


def error(bandwidth):
    guess = attend(key, key, value, lambda q, k: near(q, k) / bandwidth**2, others)
    return ((guess.context - value) ** 2).mean()

# %%
learned = nn.Parameter(torch.tensor(1.0))
descent = torch.optim.Adam([learned], lr=0.05)
for _ in range(60):
    descent.zero_grad()
    error(learned).backward()
    descent.step()

# %%
tried = torch.linspace(0.05, 2, 40)
with torch.no_grad():
    errors = [error(bandwidth).item() for bandwidth in tried]
    reached = error(learned).item()
print(f"bandwidth {learned.item():.2f}: error {reached:.2f}; the least of the forty tried: {min(errors):.2f}")
Chart(figure(curve(errors, tried, "each tried"),
             points([learned.item()], [reached], ["learned"], role="query", marker={"size": 12},
                    textposition="bottom center"),
             title="Error at a point that was left out", x="bandwidth", y="mean squared error",
             y_range=[0, 0.5], height=240, showlegend=False))

# %% [markdown]
# <details><summary>Think first, then unfold: without the mask, which bandwidth would descent find?</summary>
#
# 0, or as near to it as it gets. Each point would be guessed from itself with all the weight, without an error. The
# mask is what makes the question worth asking: it is lesson 06's way of not telling the answer.
# </details>
#
# ## What is still missing
#
# Here all directions count alike, and one number says how far "near" reaches. Attention's $W_q$ and $W_k$ learn which
# directions count, too: back to lesson 04, and on to 05.
#
# **Sources.** E. A. Nadaraya, *On Estimating Regression*, and G. S. Watson, *Smooth Regression Analysis*, both 1964.
