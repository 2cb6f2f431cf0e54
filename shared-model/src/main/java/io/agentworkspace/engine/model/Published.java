package io.agentworkspace.engine.model;

/**
 * What the service says about itself in everything it prints or publishes.
 *
 * @param baseUrl the public address of the REST routes, without a slash at its end
 * @param mcpUrl the public address of the tool protocol's host, likewise
 * @param version the product's version
 */
public record Published(String baseUrl, String mcpUrl, String version) {}
