"""The five papers, reproduced: `polyroc reproduce`. One folder per paper; see README.md."""
