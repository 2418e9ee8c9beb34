"""Make the asset of reports from plotly.js: `python docs/building/plotly_bundle.py plotly-basic.min.js`.

Reports hold it deflated. To deflate it takes longer than all else about a page, so the package has it deflated.
The bundle contains addresses of fonts and web sites, which a report does not use; they are replaced by invalid
ones. XML namespaces look like addresses too but are never fetched, so they stay.
"""

import sys
import zlib
from pathlib import Path

ASSET = Path(__file__).parents[2] / "src/polyroc/reports/assets/plotly-basic.min.js.deflate"


def without_addresses(text: str) -> str:
    """The script with invalid addresses in place of those of the network."""
    for scheme in ("http://", "https://"):
        namespace = f"{scheme}www.w3.org/"
        text = text.replace(namespace, "\0").replace(scheme, "offline:").replace("\0", namespace)
    return text


def deflated(text: str) -> bytes:
    """The bytes of a text by RFC 1951, as small as zlib makes them."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return packer.compress(text.encode()) + packer.flush()


if __name__ == "__main__":
    ASSET.write_bytes(deflated(without_addresses(Path(sys.argv[1]).read_text(encoding="utf-8"))))
