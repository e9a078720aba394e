"""Cells: clusters that are started once and on which the runs of several studies are made, one after the other."""
