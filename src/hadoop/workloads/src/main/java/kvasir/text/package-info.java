/** Text of words by Zipf's law, and the jobs of PUMA that count and index it. */
package kvasir.text;
