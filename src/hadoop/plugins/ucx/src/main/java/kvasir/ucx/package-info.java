/**
 * Carries map outputs over UCX, which takes the fastest network that the machine has.
 *
 * <p>Everything goes by active messages. Long ones UCX sends by rendezvous: where the network has
 * remote memory access, the receiver gets them from the sender's memory, one-sided. The feature RMA
 * itself is off: UCX emulates it in software over TCP without looking at keys, so that whoever
 * reaches the port could read and write all memory of a NodeManager.
 */
package kvasir.ucx;
