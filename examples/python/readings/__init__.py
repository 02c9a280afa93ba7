"""Water levels of a gauge: read from a file, and summed up."""
