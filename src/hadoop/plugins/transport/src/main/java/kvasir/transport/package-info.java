/**
 * Carries map outputs from NodeManagers to reduce tasks.
 *
 * <p>A {@link kvasir.transport.MapOutputServer} publishes ranges of files; a {@link
 * kvasir.transport.MapOutputClient} fetches them. {@link kvasir.transport.Wire} describes the
 * protocol over TCP.
 */
package kvasir.transport;
