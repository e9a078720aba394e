/**
 * Does what shuffles over the transport have in common: events of maps, reports of failed fetches,
 * readers of records that arrive, and Hadoop's own shuffle in their place.
 */
package kvasir.shuffle;
