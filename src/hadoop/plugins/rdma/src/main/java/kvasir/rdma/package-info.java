/**
 * A shuffle through memory, after RDMA-Hadoop.
 *
 * <p>{@link kvasir.rdma.Service} reads map outputs into memory when their maps end and serves them
 * from there. {@link kvasir.rdma.RdmaShuffle} takes them into the reduce task's memory as long as
 * there is room, and merges them while the rest arrives.
 */
package kvasir.rdma;
