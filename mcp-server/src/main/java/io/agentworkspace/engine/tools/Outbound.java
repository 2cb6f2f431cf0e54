package io.agentworkspace.engine.tools;

import io.agentworkspace.engine.store.Vault;
import io.agentworkspace.engine.webhooks.Sender;
import java.time.Clock;

/**
 * What tools need to deal with customers' endpoints.
 *
 * @param vault seals their secrets
 * @param allowPrivate whether they may be {@code http://} or lead to private addresses, for development
 */
public record Outbound(Vault vault, Sender sender, boolean allowPrivate, Clock clock) {}
