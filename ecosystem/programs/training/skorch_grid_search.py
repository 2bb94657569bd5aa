"""skorch: a network as a scikit-learn classifier, in a pipeline and in a grid search."""

import numpy as np
import torch
from sklearn.datasets import make_classification, make_regression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier, NeuralNetRegressor
from skorch.callbacks import EarlyStopping, EpochScoring, LRScheduler
from torch import nn

X, y = make_classification(300, 20, n_informative=10, random_state=0)
X, y = X.astype(np.float32), y.astype(np.int64)


class Net(nn.Module):
    def __init__(self, num_units=10, nonlin=nn.ReLU()):
        super().__init__()
        self.dense0 = nn.Linear(20, num_units)
        self.nonlin = nonlin
        self.dense1 = nn.Linear(num_units, num_units)
        self.output = nn.Linear(num_units, 2)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, X, **kwargs):
        X = self.nonlin(self.dense0(X))
        X = self.nonlin(self.dense1(X))
        return self.softmax(self.output(X))


torch.manual_seed(0)
net = NeuralNetClassifier(
    Net,
    max_epochs=8,
    lr=0.1,
    iterator_train__shuffle=True,
    verbose=0,
    callbacks=[EpochScoring("roc_auc", lower_is_better=False), LRScheduler("StepLR", step_size=4), EarlyStopping(patience=6)],
)
pipe = Pipeline([("scale", StandardScaler()), ("net", net)]).fit(X, y)
for name in ("train_loss", "valid_loss", "valid_acc", "roc_auc"):
    print(name, [float(value) for value in net.history[:, name]])
print("probabilities", pipe.predict_proba(X[:3]).tolist())

torch.manual_seed(0)
net = NeuralNetClassifier(
    Net, max_epochs=5, lr=0.1, verbose=0, train_split=False, optimizer=torch.optim.SGD, optimizer__momentum=0.9
)
search = GridSearchCV(net, {"lr": [0.01, 0.05], "module__num_units": [5, 10]}, refit=False, cv=3, scoring="accuracy")
search.fit(X, y)
print("best", search.best_score_, search.best_params_)
print("scores", search.cv_results_["mean_test_score"].tolist())

torch.manual_seed(0)
features, targets = make_regression(100, 5, random_state=0)
regressor = NeuralNetRegressor(nn.Linear, module__in_features=5, module__out_features=1, max_epochs=5, lr=0.05, verbose=0)
regressor.fit(features.astype(np.float32), targets.astype(np.float32)[:, None] / 100)
print("regression", [float(value) for value in regressor.history[:, "valid_loss"]])
