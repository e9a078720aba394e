/** Sets of items, and PUMA's SelfJoin of them. */
package kvasir.sets;
