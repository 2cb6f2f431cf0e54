package io.agentworkspace.engine.model;

/**
 * The addresses and version that the service publishes.
 *
 * @param baseUrl the public address of the REST routes, without a trailing slash
 * @param mcpUrl the public address of the tool protocol's host, likewise
 * @param version the product's version
 */
public record Published(String baseUrl, String mcpUrl, String version) {}
