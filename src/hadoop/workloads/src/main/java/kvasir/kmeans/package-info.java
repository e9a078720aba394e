/** K-means on samples of several dimensions, and a generator of such samples. */
package kvasir.kmeans;
