/** Kronecker graphs, PageRank on them, and their adjacency lists. */
package kvasir.graph;
