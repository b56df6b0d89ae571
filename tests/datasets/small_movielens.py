"""MovieLens archives of four ratings, in the forms of the real ones."""

import hashlib
import io
import zipfile

import numpy as np

from overtone.datasets.archive import ARCHIVES

NAMES = tuple(ARCHIVES)
FIXED = tuple(name for name in NAMES if name != "latest-small")
ROWS = [(1, 1193, 5, 978300760), (1, 661, 3, 978302109), (2, 1193, 4, 978298413), (3, 7, 1, 978220179)]
TITLES = {
    7: "Misérables, Les (1995)",
    661: "James and the Giant Peach (1996)",
    1193: "Cuckoo's Nest, A: \x85 (1975)",
}
SHAPE = (3, 3, 4)


def ratings_text(member):
    if member.endswith(".csv"):
        lines = ["userId,movieId,rating,timestamp", *(f"{u},{i},{r}.0,{t}" for u, i, r, t in ROWS)]
        return "\r\n".join(lines) + "\r\n"
    separator = "\t" if member.endswith(".data") else "::"
    return "".join(separator.join(map(str, row)) + "\n" for row in ROWS)


def movies_text(member):
    if member.endswith(".csv"):
        rows = [f'{item},"{title}",Drama|War' for item, title in TITLES.items()]
        return "movieId,title,genres\r\n" + "\r\n".join(rows) + "\r\n"
    if member.endswith(".item"):
        return "".join(f"{item}|{title}|01-Jan-1995||http://x/|0|1\n" for item, title in TITLES.items())
    return "".join(f"{item}::{title}::Drama|War\n" for item, title in TITLES.items())


def tables(name):
    archive = ARCHIVES[name]
    return {
        archive.ratings: ratings_text(archive.ratings).encode(),
        archive.movies: movies_text(archive.movies).encode(archive.encoding),
    }


def packed(name):
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as file:
        for member, text in tables(name).items():
            file.writestr(member, text)
    return body.getvalue()


def md5(body):
    return hashlib.md5(body, usedforsecurity=False).hexdigest()


def extract(name, folder):
    for member, text in tables(name).items():
        (folder / member).parent.mkdir(parents=True, exist_ok=True)
        (folder / member).write_bytes(text)


def save_arrays(name, folder):
    np.savez(
        folder / f"ml-{name}.npz",
        user=np.array([0, 0, 1, 2], np.int32),
        item=np.array([2, 1, 2, 0], np.int32),
        rating=np.array([5, 3, 4, 1], np.float32),
        user_id=np.array([1, 2, 3]),
        item_id=np.array([7, 661, 1193]),
        timestamp=np.array([row[3] for row in ROWS]),
    )


def is_the_small_table(ratings):
    return ratings.table().rows() == sorted((u, i, float(r), t) for u, i, r, t in ROWS)


def files_under(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def publish(site, name, body=None, stated=-1):
    body = packed(name) if body is None else body
    site[f"/movielens/ml-{name}.zip"] = (body, len(body) if stated == -1 else stated)


def publish_md5(site, name, text):
    site[f"/movielens/ml-{name}.zip.md5"] = (text.encode(), len(text))
