"""Runs benchmarks of several studies on clusters, each started once for all its runs."""
