// Filled in by the first file of this target.
