/**
 * Jobs for Hadoop that its own distribution lacks, and programs that check what jobs have written.
 */
package kvasir;
