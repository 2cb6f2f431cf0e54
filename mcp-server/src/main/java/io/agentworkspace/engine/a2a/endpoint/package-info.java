/** The endpoint of A2A at {@code /a2a}: its addresses, and the bindings JSON-RPC and HTTP+JSON. */
@NullMarked
package io.agentworkspace.engine.a2a.endpoint;

import org.jspecify.annotations.NullMarked;
