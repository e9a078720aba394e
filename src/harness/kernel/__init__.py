"""What the Linux kernel offers: system calls, /proc, CPU clocks, control groups, and guardians of what must be undone.

Standard library only, and nothing else of the harness, so that programs started with `python -I -S` may use it.
"""
