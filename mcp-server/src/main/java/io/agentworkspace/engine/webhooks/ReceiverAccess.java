package io.agentworkspace.engine.webhooks;

import io.agentworkspace.engine.secrets.Vault;
import io.agentworkspace.engine.webhooks.sender.EndpointProbes;

/**
 * What tools need to deal with customers' endpoints.
 *
 * @param vault seals their secrets
 * @param looks what is sent there while a caller waits
 * @param allowPrivate whether they may be {@code http://} or lead to private addresses, for development
 */
public record ReceiverAccess(Vault vault, EndpointProbes looks, boolean allowPrivate) {}
