"""Keras 3 on its torch backend: dense, convolutional, recurrent and attention layers trained, a model saved and loaded."""

import os
import tempfile

os.environ["KERAS_BACKEND"] = "torch"

import keras  # noqa: E402
import numpy as np  # noqa: E402

layers = keras.layers
noise = np.random.default_rng(0)
pictures, words = noise.normal(size=(16, 8, 8, 3)).astype("float32"), noise.integers(0, 20, (16, 6))
kinds = noise.integers(0, 3, 16)
text = keras.Input((6,))
embedded = layers.Embedding(20, 8)(text)
attended = layers.LayerNormalization()(embedded + layers.MultiHeadAttention(2, 4)(embedded, embedded))
networks = {
    "dense": (keras.Sequential([layers.Flatten(), layers.Dense(8, "relu"), layers.Dropout(0.0), layers.Dense(3)]), pictures),
    "convolution": (
        keras.Sequential(
            [
                layers.Conv2D(4, 3, activation="gelu"),
                layers.BatchNormalization(),
                layers.MaxPooling2D(),
                layers.Flatten(),
                layers.Dense(3),
            ]
        ),
        pictures,
    ),
    "lstm": (keras.Sequential([layers.Embedding(20, 8), layers.Bidirectional(layers.LSTM(6)), layers.Dense(3)]), words),
    "attention": (keras.Model(text, layers.Dense(3)(layers.GlobalAveragePooling1D()(attended))), words),
}
for name, (model, inputs) in networks.items():
    model.build((None, *inputs.shape[1:]))
    for weight in model.trainable_weights:
        weight.assign(np.random.default_rng(1).normal(size=weight.shape) * 0.3)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    history = model.fit(inputs, kinds, epochs=2, batch_size=8, shuffle=False, verbose=0).history
    print(name, {key: [round(one, 4) for one in values] for key, values in history.items()})
    path = os.path.join(tempfile.mkdtemp(), "model.keras")
    model.save(path)
    print(np.allclose(keras.models.load_model(path).predict(inputs, verbose=0), model.predict(inputs, verbose=0)))
