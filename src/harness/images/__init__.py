"""Defines, builds and describes images, and starts their programs.

They are made of Debian packages (packages.py) or by Spack (spack_stack.py, spack_mounts.py, spack_store.py); recipe.py
and build.py serve both.

The harness itself runs outside, in the pinned Python environment that Snakemake runs in: it looks at the machine
(power meters, namespaces, SLURM) and must outlive what it watches. Everything that is measured or plotted runs inside
images: the programs of the engine, the simulator, Java with Hadoop, R. On one machine the
image's own mpirun starts all ranks in one container, where they share memory as outside; on a cluster its srun starts
ranks that are in the image, each in a container of its own.
"""
