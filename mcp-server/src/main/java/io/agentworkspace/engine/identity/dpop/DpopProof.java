package io.agentworkspace.engine.identity.dpop;

import java.time.Instant;

/**
 * A valid proof, which works once.
 *
 * @param key the thumbprint of the key that signed it (RFC 7638)
 * @param id unique among the proofs of the key that can be used now, whatever address they are for
 * @param expires when nobody can use it any longer
 */
public record DpopProof(String key, String id, Instant expires) {}
