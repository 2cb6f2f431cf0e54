package io.agentworkspace.engine.integrations.upstreams.client;

/** Whose a call is: nobody else goes on with it. */
public record CallOwner(long tenant, String upstream, long user) {}
