"""How Sphinx builds the site: `make docs`. What it generates comes from docs/building."""

import sys
from pathlib import Path

import polyroc

sys.path[:0] = [str(Path(__file__).parent)]

project = "polyroc"
author = "The polyroc developers"
copyright = "The polyroc developers"  # noqa: A001 - Sphinx asks for this name
version = release = polyroc.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "myst_parser",
    "building.site",
]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
myst_url_schemes = ["http", "https", "mailto"]
default_role = "code"

autosummary_generate = False
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 80  # longer ones have one argument per line
autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True,
    "exclude-members": "from_dict, set_fit_request, set_score_request, to_dict",
}
napoleon_google_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]  # several names may share a line
napoleon_attr_annotations = False
napoleon_use_rtype = False
napoleon_use_param = False  # several parameters with one description are one entry, not as many copies of it
toc_object_entries = False
add_module_names = False
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"polyroc {release}"
html_static_path = ["static"]
html_css_files = ["polyroc.css"]
html_js_files = ["polyroc.js"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathtext"
pygments_style = "default"
