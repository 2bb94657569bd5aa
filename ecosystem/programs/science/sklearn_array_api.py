"""scikit-learn with array_api_dispatch on tensors: estimators and metrics that compute by the Python Array API."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np
import sklearn
import torch
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.metrics import (
    accuracy_score,
    mean_absolute_error,
    mean_squared_error,
    pairwise,
    r2_score,
    zero_one_loss,
)
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import KernelCenterer, MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler

sklearn.set_config(array_api_dispatch=True)
generator = np.random.RandomState(0)
X = torch.asarray(generator.randn(40, 5))
y = (X[:, 0] + 0.5 * X[:, 1] > 0).to(torch.int64)
target = X @ torch.arange(1.0, 6.0, dtype=torch.float64)


def show(name, value):
    value = torch.as_tensor(value) if isinstance(value, float) else value
    print(name, type(value).__name__, value.dtype, tuple(value.shape), [round(float(v), 6) for v in value.flatten()[:5]])


for scaler in (StandardScaler(), MinMaxScaler(), MaxAbsScaler(), Normalizer()):
    show(type(scaler).__name__, scaler.fit_transform(X))
show("KernelCenterer", KernelCenterer().fit_transform(X @ X.T))
pca = PCA(n_components=2, svd_solver="full").fit(X)
show("PCA", abs(pca.transform(X)))
show("explained", pca.explained_variance_ratio_)
lda = LinearDiscriminantAnalysis().fit(X, y)
show("LDA", lda.predict(X))
show("probabilities", lda.predict_proba(X))
ridge = Ridge(solver="svd").fit(X, target)
show("Ridge", ridge.coef_)
show("prediction", ridge.predict(X))
train, test = train_test_split(X, random_state=0)
show("split", train)
show("accuracy", float(accuracy_score(y, lda.predict(X))))
show("zero_one", float(zero_one_loss(y, lda.predict(X))))
show("squared", float(mean_squared_error(target, ridge.predict(X))))
show("absolute", float(mean_absolute_error(target, ridge.predict(X))))
show("r2", float(r2_score(target, ridge.predict(X))))
show("cosine", pairwise.cosine_similarity(X, X))
show("euclidean", pairwise.euclidean_distances(X, X))
show("rbf", pairwise.rbf_kernel(X, X))
