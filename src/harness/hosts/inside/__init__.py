"""Processes behind hosts: guardian, agent and one server per host. Standard library only.

They are started with `python -I -S boot.py`, so that they are up in milliseconds and read no one's settings.

    driver (who asked for hosts) ── guardian ── unshare ── agent ── one server per host ── commands

The guardian makes the folders, quotas and disk devices, and removes them when the driver has gone in whatever
way. The agent is the first process of a process namespace of its own: when it goes, the kernel ends all in it.
"""
