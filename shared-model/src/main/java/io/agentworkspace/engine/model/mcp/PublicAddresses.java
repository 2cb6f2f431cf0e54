package io.agentworkspace.engine.model.mcp;

/**
 * The addresses and version that the service publishes.
 *
 * @param baseUrl the public address of the REST routes, without a trailing slash
 * @param mcpUrl the public address of the tool protocol's host, without a trailing slash
 * @param version the product's version
 */
public record PublicAddresses(String baseUrl, String mcpUrl, String version) {}
