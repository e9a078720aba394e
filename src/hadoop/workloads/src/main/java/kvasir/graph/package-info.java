/** Kronecker graphs and PageRank on them. */
package kvasir.graph;
