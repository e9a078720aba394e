/**
 * A shuffle whose phases overlap, after HOMR.
 *
 * <p>{@link kvasir.homr.HomrShuffle} fetches map outputs and merges them while other maps run, and
 * gives the reducer its records as soon as the beginning of every output is known. {@link
 * kvasir.homr.Order} says which outputs are fetched first, {@link kvasir.homr.Volume} how much of
 * each at a time; both are explained in the plug-in's README.md.
 */
package kvasir.homr;
