/** How a refusal looks to its client, in each style: the command envelope, RFC 9457, JSON-RPC. */
@NullMarked
package io.agentworkspace.engine.model.refusal;

import org.jspecify.annotations.NullMarked;
