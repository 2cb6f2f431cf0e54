package io.agentworkspace.engine.webhooks;

import io.agentworkspace.engine.secrets.Vault;
import io.agentworkspace.engine.webhooks.sender.ReceiverProbes;

/**
 * What tools need to work with customers' receivers.
 *
 * @param vault encrypts their secrets
 * @param probes sends requests to them while a caller waits
 * @param allowPrivate whether {@code http://} and private addresses are allowed, for development
 */
public record ReceiverServices(Vault vault, ReceiverProbes probes, boolean allowPrivate) {}
