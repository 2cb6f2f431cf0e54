package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.integrations.webhooks.sender.ReceiverProbes;
import io.agentworkspace.engine.kernel.secrets.Vault;

/**
 * What tools need to work with customers' receivers.
 *
 * @param vault encrypts their secrets
 * @param probes sends requests to them while a caller waits
 * @param allowPrivate whether {@code http://} and private addresses are allowed, for development
 */
public record ReceiverServices(Vault vault, ReceiverProbes probes, boolean allowPrivate) {}
