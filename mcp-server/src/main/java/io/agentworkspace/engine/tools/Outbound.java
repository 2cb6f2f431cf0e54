package io.agentworkspace.engine.tools;

import io.agentworkspace.engine.store.Vault;
import io.agentworkspace.engine.webhooks.Looks;

/**
 * What tools need to deal with customers' endpoints.
 *
 * @param vault seals their secrets
 * @param looks what is sent there while a caller waits
 * @param allowPrivate whether they may be {@code http://} or lead to private addresses, for development
 */
public record Outbound(Vault vault, Looks looks, boolean allowPrivate) {}
