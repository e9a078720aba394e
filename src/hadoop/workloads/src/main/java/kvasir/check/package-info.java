/**
 * Programs that check inputs and outputs of jobs without MapReduce: one process that reads them
 * from HDFS and prints what it found as JSON.
 */
package kvasir.check;
