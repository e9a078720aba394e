"""Systems under test: from a point of a study to the command of a run, and from its report to metrics."""
