/** Proofs that a client has the key that its token is bound to (DPoP, RFC 9449). */
@NullMarked
package io.agentworkspace.engine.identity.dpop;

import org.jspecify.annotations.NullMarked;
