/**
 * Network-levitated merge, after Mellanox UDA: the reduce tasks merge map outputs that stay where
 * they are, and hold only the next bytes of each in memory.
 */
package kvasir.levitated;
