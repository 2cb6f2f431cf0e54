package io.agentworkspace.engine.webhooks;

import io.agentworkspace.engine.secrets.Vault;
import io.agentworkspace.engine.webhooks.sender.EndpointProbes;

/**
 * What tools need to work with customers' endpoints.
 *
 * @param vault encrypts their secrets
 * @param probes sends requests to them while a caller waits
 * @param allowPrivate whether {@code http://} and private addresses are allowed, for development
 */
public record EndpointServices(Vault vault, EndpointProbes probes, boolean allowPrivate) {}
