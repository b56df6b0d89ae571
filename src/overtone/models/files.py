"""A model as one file: safetensors, whose header also holds JSON; written whole, read by memory map.

The header's `overtone` entry is JSON: schema, version, ranker, kind, settings, training statistics,
the kind of each id column, and a checksum of every array.
"""

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import polars as pl
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from overtone.errors import ModelFileError
from overtone.files import replacing
from overtone.ids import Ids
from overtone.kernels import Csr
from overtone.models.altsvm import AltSVMModel
from overtone.models.base import Model
from overtone.models.bayesian import BayesianModel
from overtone.models.biased_mf import BiasedMFModel
from overtone.models.chance import ChanceModel
from overtone.models.itemwise import ItemwiseModel
from overtone.models.knn import KNNModel
from overtone.models.lcr import LCRModel
from overtone.models.ldm import LDMModel
from overtone.models.offsets import OffsetsModel
from overtone.models.ranksvd import RankSVDModel
from overtone.ratings import Ratings

SCHEMA = 1
MODELS: tuple[type[Model], ...] = (
    AltSVMModel,
    BayesianModel,
    BiasedMFModel,
    ChanceModel,
    ItemwiseModel,
    KNNModel,
    LCRModel,
    LDMModel,
    OffsetsModel,
    RankSVDModel,
)
KINDS: dict[str, type[Model]] = {model.kind: model for model in MODELS}
Arrays = Mapping[str, NDArray[Any]]


def save(model: Model, path: str | Path) -> None:
    """Write a model beside its place, then put it there."""
    arrays = _ratings_arrays(model.ratings) | model.arrays()
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    about = {
        "schema": SCHEMA,
        "version": version("overtone"),
        "ranker": model.ranker,
        "kind": model.kind,
        "settings": dict(model.settings),
        "training": {
            "users": len(model.users),
            "items": len(model.items),
            "ratings": len(model.ratings),
            "mean": float(model.ratings.by_user.data.mean()),
        },
        "checksums": {name: _checksum(array) for name, array in arrays.items()},
    }
    with replacing(path) as part:
        save_file(arrays, part, metadata=header_of(about))


def header_of(about: Mapping[str, Any]) -> dict[str, str]:
    """Return the header's entries: JSON, and its checksum."""
    text = json.dumps(about)
    return {"overtone": text, "checksum": str(crc32(text.encode()))}


def _checksum(array: NDArray[Any]) -> int:
    """Return a checksum of what an array is and holds."""
    kind = f"{array.dtype.str} {array.shape}".encode()
    return crc32(array.data.cast("B") if array.size else b"", crc32(kind))


def load(path: str | Path, *, verify: bool = True) -> Model:
    """Read a model by memory map; `verify` reads every byte once, to compare the checksums."""
    file = Path(path)
    about, arrays = _open(file)
    if about.get("schema") != SCHEMA:
        raise ModelFileError(
            f"{file} has schema {about.get('schema')}, this version of overtone reads {SCHEMA}: "
            f"it was written by overtone {about.get('version')}, use that or a newer one"
        )
    for name, checksum in about["checksums"].items() if verify else ():
        if name not in arrays or _checksum(arrays[name]) != checksum:
            raise ModelFileError(f"{file} is damaged: the array {name} is not what was written; fit it again")
    if about["kind"] not in KINDS:
        raise ModelFileError(
            f"{file} holds a model of kind {about['kind']!r}, which this version does not know"
        )
    common = {"ranker": about["ranker"], "settings": about["settings"], "ratings": _ratings(arrays)}
    try:
        return KINDS[about["kind"]].from_arrays(common, arrays)
    except (KeyError, ValueError, TypeError) as error:
        raise ModelFileError(
            f"{file} holds a model of another form than this version's; fit it again"
        ) from error


def _open(file: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Let safetensors check the header against the file, then map each array where it lies."""
    if not file.is_file():
        raise ModelFileError(f"there is no model file {file}")
    try:
        with safe_open(file, framework="numpy") as tensors:
            entries = tensors.metadata() or {}
        with file.open("rb") as raw:
            length = int.from_bytes(raw.read(8), "little")
            header = json.loads(raw.read(length))
        header.pop("__metadata__", None)
        bytes_of = np.memmap(file, np.uint8, "c", offset=8 + length) if header else np.empty(0, np.uint8)
        arrays = {name: _view(bytes_of, entry) for name, entry in header.items()}
    except (SafetensorError, ValueError, KeyError) as error:
        raise ModelFileError(f"{file} is not a model, or is cut short: {error}") from error
    except OSError as error:
        raise ModelFileError(f"cannot read {file}: {error.strerror or error}") from error
    return _about(file, entries), arrays


def _about(file: Path, entries: Mapping[str, str]) -> dict[str, Any]:
    text = entries.get("overtone")
    if text is None:
        raise ModelFileError(f"{file} is a safetensors file, but not of overtone")
    if entries.get("checksum") != str(crc32(text.encode())):
        raise ModelFileError(f"{file} is damaged: its description is not what was written; fit it again")
    about: dict[str, Any] = json.loads(text)
    return about


DTYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U8": "u1", "BOOL": "?"}


def _view(bytes_of: NDArray[np.uint8], entry: Mapping[str, Any]) -> NDArray[Any]:
    start, stop = entry["data_offsets"]
    return np.asarray(bytes_of[start:stop].view(DTYPES[entry["dtype"]]).reshape(entry["shape"]))


def _ratings_arrays(ratings: Ratings) -> dict[str, NDArray[Any]]:
    arrays = ratings.by_user.named("ratings")
    if ratings.times is not None:
        arrays["ratings.times"] = ratings.times
    for ids in (ratings.users, ratings.items):
        if ids.are_numbers:
            arrays[f"ids.{ids.noun}"] = ids.values.to_numpy()
        else:
            text = [one.encode() for one in ids.values]
            arrays[f"ids.{ids.noun}.text"] = np.frombuffer(b"".join(text), np.uint8)
            arrays[f"ids.{ids.noun}.ends"] = np.cumsum([len(one) for one in text], dtype=np.int64)
    return arrays


def _ratings(arrays: Arrays) -> Ratings:
    by_user = Csr.from_named("ratings", arrays)
    return Ratings(_ids(arrays, "user"), _ids(arrays, "item"), by_user, arrays.get("ratings.times"))


def _ids(arrays: Arrays, noun: str) -> Ids:
    if f"ids.{noun}" in arrays:
        return Ids(pl.Series(noun, arrays[f"ids.{noun}"]), noun)
    ends = arrays[f"ids.{noun}.ends"].tolist()
    text = arrays[f"ids.{noun}.text"].tobytes()
    starts = [0, *ends[:-1]]
    return Ids(pl.Series(noun, [text[a:b].decode() for a, b in zip(starts, ends, strict=True)]), noun)
