"""Plain arrays in, plain arrays out; sorted, finite, coded input assumed. Nothing else of ours is known here."""
