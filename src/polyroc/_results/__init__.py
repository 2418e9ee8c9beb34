"""What all results share: the base class, the codec of stored results, provenance."""
