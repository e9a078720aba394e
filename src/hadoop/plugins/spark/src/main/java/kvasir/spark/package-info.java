/**
 * The benchmarks as programs for Spark: RDDs over the same inputs in HDFS, and the same outputs.
 */
package kvasir.spark;
