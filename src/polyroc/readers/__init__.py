"""Reader studies: modalities compared by several readers on the same cases, and how many of both a study needs."""
