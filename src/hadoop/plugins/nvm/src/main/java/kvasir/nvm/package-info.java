/** Map output collectors that spill to emulated non-volatile memory, and their stages' times. */
package kvasir.nvm;
