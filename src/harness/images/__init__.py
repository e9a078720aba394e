"""Images: what each is made from, how it is built, what is in it, and how its programs are started.

The harness itself runs outside, in the pinned Python environment that Snakemake runs in: it looks at the machine
(power meters, namespaces, SLURM) and must outlive what it watches. What is measured, and what draws, comes from the
images: the programs of the engine, the simulator, Java with Hadoop, R. So a launcher of the host (mpirun, srun)
starts ranks that are in an image, as clusters do it.
"""
