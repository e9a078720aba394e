"""The command `kvasir`."""
