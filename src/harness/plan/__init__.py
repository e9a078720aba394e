"""Plans: from the configuration to runs, cells and tables. Reads no results and starts nothing."""
