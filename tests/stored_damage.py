"""Damaged stored files: seeded mutations of plain data, signatures of tallies and fronts, logs of stores."""

import copy
import json
import shutil
import zlib
from hashlib import sha256

import numpy as np

JUNK = (
    None,
    True,
    0,
    1,
    -1,
    3,
    0.5,
    1.5,
    -0.25,
    2**40,
    2**70,
    1e160,
    1e-200,
    -1e-200,
    float("nan"),
    float("inf"),
    "",
    "x",
    "inf",
    [],
    [1],
    [[0.5, 2.0]],
    {},
    {"a": 1},
)
TALLY_MAGIC = b"polyroc tally 1\n"


def places(node, path=()):
    """The paths of all entries anywhere inside plain data."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, inner in items:
        yield (*path, name)
        yield from places(inner, (*path, name))


def mutated(data, rng, junk=JUNK, paths=None):
    """A copy of plain data with one entry removed, replaced, repeated, exchanged or scaled; and what was done.

    `paths` are those of all entries, for callers that mutate the same data many times. Only what leads to the
    entry is copied, the rest is shared.
    """
    paths = [*places(data)] if paths is None else paths
    path = paths[rng.integers(len(paths))]
    damaged = parent = copy.copy(data)
    for name in path[:-1]:
        parent[name] = copy.copy(parent[name])
        parent = parent[name]
    name, action = path[-1], rng.choice(["remove", "replace", "replace", "scale", "exchange"])
    if action == "remove":
        del parent[name]
    elif action == "scale" and isinstance(parent[name], int | float) and not isinstance(parent[name], bool):
        parent[name] = parent[name] * [-1, 2, 1000, 0][rng.integers(4)] + [0, 1][rng.integers(2)]
    elif action == "exchange" and isinstance(parent, list) and len(parent) > 1:
        other = int(rng.integers(len(parent)))
        parent[name], parent[other] = parent[other], parent[name]
    else:
        action, parent[name] = "replace", copy.deepcopy(junk[rng.integers(len(junk))])
    return damaged, f"{action} {'.'.join(map(str, path))}"


def tally_parts(data):
    """The header of a stored tally and the bytes of its arrays."""
    raw = zlib.decompress(data[len(TALLY_MAGIC) + sha256().digest_size :])
    end = 8 + int.from_bytes(raw[:8], "little")
    return json.loads(raw[8:end]), raw[end:]


def signed_tally(header, arrays):
    """A tally of this header and these arrays, with a checksum that fits."""
    head = json.dumps(header).encode()
    body = zlib.compress(len(head).to_bytes(8, "little") + head + arrays, 9)
    return TALLY_MAGIC + sha256(body).digest() + body


def signed_front(data):
    """The data of a front with a digest that fits them, as far as they can be read."""
    arrays = ("counts", "costs", "models", "place", "generation")
    names = [name for name in data if name in arrays or name.startswith("model_")]
    header = {name: value for name, value in data.items() if name not in {*names, "digest"}}
    digest = sha256(json.dumps(header, sort_keys=True).encode())
    order = [name for name in arrays if name in names] + [name for name in names if name not in arrays]
    for name in order:
        array = np.array(data[name])
        digest.update(array.astype(f"<{array.dtype.kind}8").tobytes())
    return {**data, "digest": digest.hexdigest()}


def store_with_log(store, folder):
    """A copy of a store whose latest change is in its log only, as a killed process leaves it."""
    import duckdb

    path, copy = folder / "study.duckdb", folder / "copy" / "study.duckdb"
    shutil.copy(store, path)
    connection = duckdb.connect(str(path))
    connection.execute("PRAGMA disable_checkpoint_on_shutdown")
    connection.execute("DELETE FROM polyroc_study.versions")
    connection.close()
    copy.parent.mkdir()
    for file in (path, path.with_name(f"{path.name}.wal")):
        shutil.copy(file, copy.parent / file.name)
    return copy
